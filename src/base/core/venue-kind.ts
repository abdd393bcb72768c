/**
 * Kinds of venues, in which several calls meet: `service/calls/conferences/`. Their events: `conference`: `joined`
 * ({conference_id, mix_id, members}), `full`, `ended`, `muted` ({muted}), `held` ({hold}), `waiting` and `started` (for
 * a moderator); `queue`: `position` ({position, waiting}), `turn` ({agent}), `full`; `room`: `joined` ({room_id,
 * mix_id}), `denied` ({reason}), `ended`. The docs of each verb describe its events.
 */
export type VenueKind = 'conference' | 'queue' | 'room';
