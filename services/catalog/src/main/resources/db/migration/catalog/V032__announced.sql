-- Which topic, by the broker's own id, has been told everything, and in which layout of the records.
CREATE TABLE announced (
    topic    text PRIMARY KEY,
    topic_id text NOT NULL,
    layout   integer NOT NULL
);
