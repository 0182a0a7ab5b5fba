-- The amount of a line at the default price, which a price for the plan or the organization replaces.
ALTER TABLE rated_lines ADD COLUMN list_amount numeric;
UPDATE rated_lines SET list_amount = amount;
ALTER TABLE rated_lines ALTER COLUMN list_amount SET NOT NULL;

-- Rating computes it for the lines of open months that have such a price. It changes no charge, so nothing is booked. Lines of closed months keep
-- their amount.
INSERT INTO rating_queue (org_id, unit, usage_month)
SELECT DISTINCT l.org_id, l.unit, l.usage_month FROM rated_lines l
JOIN prices p ON p.id = l.price_id
JOIN usage_periods u ON u.period = l.usage_month
WHERE p.scope <> 'default' AND u.closed_at IS NULL
ON CONFLICT DO NOTHING;
