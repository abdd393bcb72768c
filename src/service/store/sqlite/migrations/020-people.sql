-- What belongs to a call is found when the call is deleted. Deliveries in line are found already.
CREATE INDEX IF NOT EXISTS recordings_of_call ON recordings (call_id);
CREATE INDEX IF NOT EXISTS deliveries_beside_of ON deliveries (order_key) WHERE in_line = 0;
CREATE INDEX IF NOT EXISTS dead_deliveries_of_key ON dead_deliveries (order_key);
