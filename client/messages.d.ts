/** Messages of rooms, both ways. Made of schemas/rooms by `npm run types`: edit those, then make it again. */

/** What a client sends over the web socket, one JSON object a message. The first is `join` or `resume`. */
export type ClientMessages = {
  /** The first message: enters with a token. */
  join: {
    type: 'join';
    /** Of the tokens route. */
    token: string;
    /** The room that it has to be for; without it any. */
    room_id?: string;
  };
  /** Instead of `join`: asks what a token is for, and does not use it up. Answered with `invited` or `error`, and the link is closed. */
  look: {
    type: 'look';
    /** Of the tokens route. */
    token: string;
    /** The room that it has to be for; without it any. */
    room_id?: string;
  };
  /** The first message of a new link: goes on as the same person, within 30 s; within 5 s where the page closed the link (code 1001). */
  resume: {
    type: 'resume';
    /** Of `welcome`. */
    resume_key: string;
  };
  /** Instead of `resume`: the page was loaded anew, and somebody has to press a button first. Keeps the place for another 30 s. Answered with `held` or `error`, and the link is closed. */
  hold: {
    type: 'hold';
    /** Of `welcome`. */
    resume_key: string;
  };
  /** Goes. */
  leave: {
    type: 'leave';
  };
  /** Answered with `pong`. */
  ping: {
    type: 'ping';
  };
  /** Offers what the client sends. */
  'pub.offer': {
    type: 'pub.offer';
    /** A number of the client's choice, which the answer repeats: answers to older offers are not to be used. */
    version?: number;
    /** SDP (RFC 8866). */
    sdp: string;
    /** `mid` → source. */
    sources: Record<string, 'audio' | 'video' | 'screen'>;
  };
  /** Answers the offer of what the client receives. */
  'sub.answer': {
    type: 'sub.answer';
    /** Of that offer. */
    version: number;
    /** SDP (RFC 8866). */
    sdp: string;
  };
  /** Asks for a new transport, after a change of network. */
  'sub.restart': {
    type: 'sub.restart';
  };
  /** How well somebody shall be seen here. */
  layer: {
    type: 'layer';
    /** Whom. */
    participant: string;
    /** The best layer. */
    layer: 'HD' | 'SD' | 'LD' | 'off';
  };
  /** Mutes or unmutes itself. */
  mute: {
    type: 'mute';
    /** Which source. */
    source: 'audio' | 'video' | 'screen';
    /** Whether it is muted. */
    muted: boolean;
  };
  /** Raises the hand, or takes it down: asks for the floor. */
  hand: {
    type: 'hand';
    /** Whether it is up. */
    raised: boolean;
  };
  /** Writes to all, or to one. */
  chat: {
    type: 'chat';
    /** The text. */
    text: string;
    /** Whom. */
    to?: string;
  };
  /** Moderators: lets somebody in who knocks. */
  admit: {
    type: 'admit';
    /** Whom. */
    participant: string;
  };
  /** Moderators: turns somebody away who knocks. */
  deny: {
    type: 'deny';
    /** Whom. */
    participant: string;
  };
  /** Moderators: mutes somebody, or takes that back. `hard`: they cannot unmute themselves. */
  mute_user: {
    type: 'mute_user';
    /** Whom. */
    participant: string;
    /** Which source. */
    source: 'audio' | 'video' | 'screen';
    /** Whether they are muted. */
    muted: boolean;
    /** Whether they cannot unmute themselves. */
    hard?: boolean;
  };
  /** Moderators: mutes everybody else but moderators, or takes that back. */
  mute_all: {
    type: 'mute_all';
    /** Which source. */
    source: 'audio' | 'video' | 'screen';
    /** Whether they are muted. */
    muted: boolean;
    /** Whether they cannot unmute themselves. */
    hard?: boolean;
  };
  /** Moderators, in a lecture: lets somebody talk, or takes that back. */
  floor: {
    type: 'floor';
    /** Whom. */
    participant: string;
    /** Whether they may talk. */
    given: boolean;
  };
  /** Moderators: sends somebody out, who cannot come back with the same token. */
  drop: {
    type: 'drop';
    /** Whom. */
    participant: string;
  };
  /** Moderators: starts or stops the recording. */
  record: {
    type: 'record';
    /** Whether it goes on. */
    on: boolean;
  };
  /** Moderators: ends the session for all. */
  end: {
    type: 'end';
  };
  /** What only the client knows, of the seconds since it last said so: for reports. */
  client_stats: {
    type: 'client_stats';
    /** How long that was. */
    seconds: number;
    /** Pictures that were shown, of all people. */
    frames_decoded?: number;
    /** How often a picture stood still. */
    freezes?: number;
    /** For how long in all, of the picture that froze most. */
    freeze_ms?: number;
    /** Share of sound that was missing and made up. */
    concealed?: number;
    /** To the service and back. */
    round_trip_ms?: number;
  };
};

export type ClientMessage = ClientMessages[keyof ClientMessages];

/** What the service sends over the web socket, one JSON object a message. */
export type ServerMessages = {
  /** Answers `ping`. */
  pong: {
    type: 'pong';
  };
  /** Something was not done. Before the client is in, the link is closed after it. */
  error: {
    type: 'error';
    /** `bad_message`, `too_many_messages`, `already_joined`, `not_joined`, `not_known`, `not_in`, `not_allowed`, `not_available` (the engine cannot), `unknown_participant`, `bad_description` (the SDP of `about` cannot be used); a token that is not taken: `token_used`, `token_expired`, `token_forged`, `token_malformed`, `token_foreign`, `token_unchecked` (it cannot be checked now whether another node has taken it: try again in a few seconds); `room_unknown`, `room_full`, `room_moderators_full`, `room_ended`, `room_audience_unavailable` (nothing can be shown to an audience here). */
    code: string;
    /** What is wrong, for people. */
    message?: string;
    /** The type of the message that was not done. */
    about?: string;
  };
  /** Answers `look`: what the token is for. */
  invited: {
    type: 'invited';
    /** The name that it gives. */
    name: string;
    /** Its role. */
    role: Role;
    /** Until when it can be used: milliseconds since 1970. */
    expires_at: number;
    /** The room. */
    room: {
      /** Its id. */
      room_id: string;
      /** Its name. */
      name: string;
      /** In a lecture people talk when they are given the floor. */
      mode: 'group' | 'lecture';
    };
  };
  /** Answers `hold`: the place is kept. */
  held: {
    type: 'held';
  };
  /** The client is before the door. */
  waiting: {
    type: 'waiting';
    /** `moderator`: until one comes; `admission`: until one lets it in. */
    for: 'moderator' | 'admission';
  };
  /** The client is in. After `resume` it comes again, and media begins anew. */
  welcome: {
    type: 'welcome';
    /** Of this client. */
    id: string;
    /** Lets a new link go on as this person, within 30 s. */
    resume_key: string;
    /** Its role. */
    role: Role;
    /** What the client may do. */
    permissions: Permissions;
    /** The room. */
    room: {
      /** Its id. */
      room_id: string;
      /** Its name. */
      name: string;
      /** Of this session. */
      conf_num: string;
      /** As of the routes of rooms. */
      settings: Record<string, unknown>;
    };
    /** The others. */
    participants: Participant[];
    /** Whether the session is recorded. */
    recording: boolean;
    /** Who talks now, by id. */
    talking: string[];
    /** STUN and TURN servers for the connections, as `RTCPeerConnection` takes them. */
    ice_servers: {
      /** Where it is. */
      urls: string[];
      /** For TURN. */
      username?: string;
      /** For TURN. */
      credential?: string;
    }[];
  };
  /** Somebody came in. */
  joined: {
    type: 'joined';
    /** Somebody in the session, as others see it. */
    participant: Participant;
  };
  /** Somebody is gone. */
  left: {
    type: 'left';
    /** Who. */
    id: string;
    /** Why. */
    reason: 'left' | 'dropped' | 'lost' | 'ended' | 'denied';
  };
  /** Something about somebody, or about this client itself, is different. */
  changed: {
    type: 'changed';
    /** Somebody in the session, as others see it. */
    participant: Participant;
  };
  /** Who talks now. */
  talking: {
    type: 'talking';
    /** Their ids. */
    participants: string[];
  };
  /** Moderators: who waits to be let in. */
  knocking: {
    type: 'knocking';
    /** All of them. */
    participants: {
      /** For `admit` and `deny`. */
      id: string;
      /** Shown. */
      name: string;
      /** Its role. */
      role: Role;
    }[];
  };
  /** In a lecture: the client may talk, or no longer. */
  floor: {
    type: 'floor';
    /** Whether it may. */
    given: boolean;
    /** What the client may do. */
    permissions: Permissions;
  };
  /** A recording began or ended. */
  recording: {
    type: 'recording';
    /** Whether it goes on. */
    on: boolean;
  };
  /** To the audience: what there is to see. It comes after `welcome`, and whenever it changes. */
  broadcast: {
    type: 'broadcast';
    /** `starting`: in a few seconds; `failed`: it cannot be made, which is tried again. */
    state: 'starting' | 'live' | 'failed';
    /** With `live`: the path of a playlist (HLS) at this service, for this person alone, for 6 hours at most, and as long as the person is in the room. */
    url?: string;
  };
  /** Somebody wrote. */
  chat: {
    type: 'chat';
    /** Who, by id. */
    from: string;
    /** Who, by name. */
    name: string;
    /** The text. */
    text: string;
    /** When: milliseconds since 1970. */
    at: number;
    /** To this client alone. */
    private: boolean;
  };
  /** The media begins anew: new connections are to be offered; `sub.offer` comes by itself. */
  media_restarted: {
    type: 'media_restarted';
  };
  /** Media do not come through, or come through again. Without `source`: no connection comes up for what the client sends, or for what it receives; it is tried again every 30 seconds. With `source`: this source alone is not taken, such as one in a codec that is not forwarded, or that the browser does not receive. */
  media: {
    type: 'media';
    /** What the client sends, or what it receives. */
    direction: 'send' | 'receive';
    /** Whether it works again. */
    works: boolean;
    /** Which source. */
    source?: Source;
    /** Participant that publishes the source; absent for the client's own. */
    participant?: string;
    /** What is wrong, and what may help, for people. Present when it does not work. */
    message?: string;
  };
  /** A moderator did not let the client in. Nothing follows. */
  denied: {
    type: 'denied';
  };
  /** A moderator sent the client out. Nothing follows. */
  dropped: {
    type: 'dropped';
  };
  /** The session is over. Nothing follows. */
  ended: {
    type: 'ended';
    /** `room_over`: the room does not exist any more. */
    reason: 'ended' | 'room_over';
  };
  /** Answers `pub.offer`. What is not taken is inactive in it. */
  'pub.answer': {
    type: 'pub.answer';
    /** Of that offer, where it had one. */
    version?: number;
    /** SDP (RFC 8866). */
    sdp: string;
  };
  /** What the client sends does not arrive: it is to close that connection, and to send `pub.offer` from a new one. */
  'pub.restart': {
    type: 'pub.restart';
  };
  /** Offers what the client receives. Answered with `sub.answer`. */
  'sub.offer': {
    type: 'sub.offer';
    /** Repeated in the answer. */
    version: number;
    /** SDP (RFC 8866). Another ICE user name than before: a new connection. */
    sdp: string;
    /** What is active in it. */
    tracks: {
      /** Which line. */
      mid: string;
      /** Whose, by id; `phones`: all telephones of the room together. */
      participant: string;
      /** Which source. */
      source: Source;
    }[];
  };
};

export type ServerMessage = ServerMessages[keyof ServerMessages];

/** Which source. */
export type Source = 'audio' | 'video' | 'screen';

export type Sources = Source[];

/** Its role. */
export type Role = 'moderator' | 'participant' | 'viewer' | 'audience';

/** What the client may do. */
export type Permissions = {
  /** Send sound and pictures. */
  publish: boolean;
  /** Receive those of others. */
  subscribe: boolean;
  /** Start and stop recordings. */
  record: boolean;
  /** See figures of others. */
  stats: boolean;
  /** Control others. */
  controlhandlers: boolean;
};

/** Somebody in the session, as others see it. */
export type Participant = {
  /** In other messages. */
  id: string;
  /** Shown. */
  name: string;
  /** Its role. */
  role: Role;
  /** It is a telephone. */
  phone: boolean;
  /** Its link is down; it may come back. */
  away: boolean;
  /** It asks for the floor. */
  hand: boolean;
  /** It may talk in a lecture. */
  floor: boolean;
  /** Sources of which nothing is forwarded. */
  muted: Sources;
  /** Those that it cannot unmute itself. */
  hard_muted: Sources;
  /** What it sends. */
  published: Sources;
  /** Much of what it sends or receives is lost. */
  poor_link: boolean;
};
