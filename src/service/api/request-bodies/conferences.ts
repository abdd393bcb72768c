/** The bodies of requests: conferences. Made of schemas/api by `npm run types`: edit those, then make it again. */

export type ConferenceBody = {
  name?: string;
  from?: string;
  to?: string;
  event_url?: string;
  owner_ref?: string;
  moderator?: boolean;
  muted?: boolean;
  wait_for_moderator?: boolean;
  end_on_exit?: boolean;
  max_members?: number;
  leave_key?: string;
  after?: 'hang_up' | 'stay';
};

export type ConferenceJoinBody = {
  from?: string;
  transfer_to?: string;
  event_url?: string;
  owner_ref?: string;
  moderator?: boolean;
  muted?: boolean;
  wait_for_moderator?: boolean;
  end_on_exit?: boolean;
  max_members?: number;
  leave_key?: string;
  after?: 'hang_up' | 'stay';
};

export type ParticipantBody = {
  muted?: boolean;
  hold?: boolean;
};

export type RoomJoinBody = {
  name?: string;
  from?: string;
  to?: string;
  event_url?: string;
  owner_ref?: string;
  display_name?: string;
  after?: 'hang_up' | 'stay';
};
