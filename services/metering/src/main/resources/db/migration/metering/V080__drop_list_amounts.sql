-- The list amount follows from the default price and the quantity, so the export computes it without rounding.
ALTER TABLE rated_lines DROP COLUMN list_amount;
