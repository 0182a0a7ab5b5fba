CREATE TABLE things (name text PRIMARY KEY, times integer NOT NULL);
