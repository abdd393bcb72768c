/** Messages of rooms, both ways. Made of schemas/rooms by `npm run types`: edit those, then make it again. */

/** Messages from a client over the WebSocket, one JSON object per message. The first one is `join` or `resume`. */
export type ClientMessages = {
  /** First message: joins with a token. */
  join: {
    type: 'join';
    /** Token from the tokens route. */
    token: string;
    /** Room that the token must be for. Without it, any room. */
    room_id?: string;
  };
  /** In place of `join`: asks what a token is for, without using it. Answered with `invited` or `error`; then the connection is closed. */
  look: {
    type: 'look';
    /** Token from the tokens route. */
    token: string;
    /** Room that the token must be for. Without it, any room. */
    room_id?: string;
  };
  /** First message of a new connection: resumes as the same participant within 30 s, or within 5 s if the page closed the connection (code 1001). For 10 minutes after leaving or losing the connection, joins again as a new participant. */
  resume: {
    type: 'resume';
    /** `resume_key` of `welcome`. */
    resume_key: string;
  };
  /** In place of `resume`, after a reload of the page that needs a user action first. Keeps the participant for another 30 s, if the participant is still in the session. Answered with `held` or `error`; then the connection is closed. */
  hold: {
    type: 'hold';
    /** `resume_key` of `welcome`. */
    resume_key: string;
  };
  /** In place of `resume`, once within 10 minutes after the participant left or the session ended, in rooms with `feedback`: rates the session. Answered with `thanks` or `error`; then the connection is closed. */
  feedback: {
    type: 'feedback';
    /** `resume_key` of `welcome`. */
    resume_key: string;
    /** From 1, very bad, to 5, very good. */
    rating: number;
    /** Words of the participant. */
    text?: string;
  };
  /** Leaves the session. */
  leave: {
    type: 'leave';
  };
  /** Answered with `pong`. */
  ping: {
    type: 'ping';
  };
  /** Offers the media that the client sends. */
  'pub.offer': {
    type: 'pub.offer';
    /** Number chosen by the client, which the answer repeats. Answers to older offers must be discarded. */
    version?: number;
    /** SDP (RFC 8866). */
    sdp: string;
    /** Sources by `mid`. */
    sources: Record<string, 'audio' | 'video' | 'screen'>;
  };
  /** Answers the offer of the media that the client receives. */
  'sub.answer': {
    type: 'sub.answer';
    /** Version of that offer. */
    version: number;
    /** SDP (RFC 8866). */
    sdp: string;
  };
  /** Requests a new transport after a change of network. */
  'sub.restart': {
    type: 'sub.restart';
  };
  /** Sets the maximum quality of a participant's video for this client. */
  layer: {
    type: 'layer';
    /** ID of the participant. */
    participant: string;
    /** Highest simulcast layer to receive. */
    layer: 'HD' | 'SD' | 'LD' | 'off';
  };
  /** Mutes or unmutes a source of the client itself. */
  mute: {
    type: 'mute';
    /** Source. */
    source: 'audio' | 'video' | 'screen';
    /** True if the source is muted. */
    muted: boolean;
  };
  /** Raises or lowers the hand, to request the floor. */
  hand: {
    type: 'hand';
    /** True if the hand is raised. */
    raised: boolean;
  };
  /** Sends a chat message to all, or to one participant. */
  chat: {
    type: 'chat';
    /** Text of the message. */
    text: string;
    /** ID of the participant. */
    to?: string;
  };
  /** Shows an emoji to all for a moment. It is not stored. */
  reaction: {
    type: 'reaction';
    /** Emoji. */
    emoji: '👍' | '👏' | '❤️' | '😂' | '😮' | '🎉';
  };
  /** Turns captions on or off for this client, in rooms with `captions`. Answered with `captions` to all if they begin or end for the session, or with the error `not_allowed` or `not_available` (no recogniser for the language). */
  captions: {
    type: 'captions';
    /** True to receive captions. */
    on: boolean;
  };
  /** For moderators: asks all a question. Answered with `poll` to all, or with the error `not_available` while another poll is open, or after 50 polls. */
  poll_start: {
    type: 'poll_start';
    /** Question. */
    question: string;
    /** Possible answers. */
    answers: string[];
    /** True if several answers may be chosen. */
    multiple: boolean;
    /** False to show the names of the voters with the results. */
    anonymous: boolean;
    /** Recipients of the results: `all`, after they have voted or the poll is closed, or moderators only. */
    results: 'all' | 'moderators';
  };
  /** For moderators: closes the open poll. */
  poll_close: {
    type: 'poll_close';
    /** `id` of `poll`. */
    poll: string;
  };
  /** For moderators and participants: votes in the open poll, or changes the vote. */
  vote: {
    type: 'vote';
    /** `id` of `poll`. */
    poll: string;
    /** Indexes of the chosen answers. */
    answers: number[];
  };
  /** For moderators: shows a participant large to all, in place of the previous one. */
  spotlight: {
    type: 'spotlight';
    /** ID of the participant. */
    participant: string;
    /** False to end it. */
    on: boolean;
  };
  /** For moderators: admits a participant from the lobby. */
  admit: {
    type: 'admit';
    /** ID of the participant. */
    participant: string;
  };
  /** For moderators: denies a participant in the lobby. */
  deny: {
    type: 'deny';
    /** ID of the participant. */
    participant: string;
  };
  /** For moderators: mutes or unmutes a participant. `hard`: the participant cannot unmute themselves. */
  mute_user: {
    type: 'mute_user';
    /** ID of the participant. */
    participant: string;
    /** Source. */
    source: 'audio' | 'video' | 'screen';
    /** True to mute. */
    muted: boolean;
    /** True if participants cannot unmute themselves. */
    hard?: boolean;
  };
  /** For moderators: mutes or unmutes all others except moderators. */
  mute_all: {
    type: 'mute_all';
    /** Source. */
    source: 'audio' | 'video' | 'screen';
    /** True to mute. */
    muted: boolean;
    /** True if participants cannot unmute themselves. */
    hard?: boolean;
  };
  /** For moderators of a lecture: gives the floor to a participant, or takes it back. */
  floor: {
    type: 'floor';
    /** ID of the participant. */
    participant: string;
    /** True if the participant may speak. */
    given: boolean;
  };
  /** For moderators: removes a participant, who cannot rejoin with the same token. */
  drop: {
    type: 'drop';
    /** ID of the participant. */
    participant: string;
  };
  /** For moderators: starts or stops the recording. */
  record: {
    type: 'record';
    /** True if the recording is active. */
    on: boolean;
  };
  /** For moderators, in rooms with `invitations`: creates a token for one more person. Answered with `invitation`, or with the error `not_allowed`, `too_many_invitations` or `not_available`. */
  invite: {
    type: 'invite';
    /** Role of the person; `invitations` of the room must include it. */
    role: 'moderator' | 'participant' | 'viewer' | 'audience';
    /** Name of the person. */
    name: string;
  };
  /** For moderators: makes an unused token of `invite` invalid. Answered with `invitation_over`. */
  revoke_invitation: {
    type: 'revoke_invitation';
    /** `id` of `invitation`. */
    invitation: string;
  };
  /** For moderators: ends the session for all. */
  end: {
    type: 'end';
  };
  /** Client-side statistics since the previous report, for the records of the session. */
  client_stats: {
    type: 'client_stats';
    /** Duration of the period, in seconds. */
    seconds: number;
    /** Number of decoded video frames of all participants. */
    frames_decoded?: number;
    /** Number of video freezes. */
    freezes?: number;
    /** Total duration of freezes of the most affected video, in ms. */
    freeze_ms?: number;
    /** Share of concealed audio. */
    concealed?: number;
    /** Round-trip time to the service, in ms. */
    round_trip_ms?: number;
  };
};

export type ClientMessage = ClientMessages[keyof ClientMessages];

/** Messages from the service over the WebSocket, one JSON object per message. */
export type ServerMessages = {
  /** Answers `ping`. */
  pong: {
    type: 'pong';
  };
  /** Reports a rejected message. If the client has not joined, the connection is closed afterwards. */
  error: {
    type: 'error';
    /** `bad_message`, `too_many_messages`, `already_joined`, `not_joined`, `not_known`, `not_in`, `not_allowed`, `not_available` (not supported by the engine), `unknown_participant`, `bad_description` (the SDP of `about` cannot be used). For a rejected token: `token_used`, `token_expired`, `token_forged`, `token_malformed`, `token_foreign`, `token_unchecked` (its use on other nodes cannot be checked now: retry in a few seconds). For a room: `room_unknown`, `room_full`, `room_moderators_full`, `room_ended`, `room_audience_unavailable` (this service cannot serve an audience). */
    code: string;
    /** Description of the problem. */
    message?: string;
    /** Type of the rejected message. */
    about?: string;
  };
  /** Answers `look`: properties of the token. */
  invited: {
    type: 'invited';
    /** Name in the token. */
    name: string;
    /** Role of the client. */
    role: Role;
    /** End of its validity, in ms since 1970. */
    expires_at: number;
    /** ID of the room. */
    room: {
      /** ID of the request. */
      room_id: string;
      /** Name. */
      name: string;
      /** Mode of the room. In a `lecture`, participants may speak once they have the floor. */
      mode: 'group' | 'lecture';
      /** `description` of the room, if it has one. */
      description?: string;
    };
  };
  /** Answers `hold`: the participant is kept. */
  held: {
    type: 'held';
  };
  /** Answers `feedback`: it is recorded. */
  thanks: {
    type: 'thanks';
  };
  /** The client is in the lobby. */
  waiting: {
    type: 'waiting';
    /** `moderator`: until a moderator joins; `admission`: until a moderator admits the client. */
    for: 'moderator' | 'admission';
  };
  /** The client has joined. It is sent again after `resume`, and media restarts. */
  welcome: {
    type: 'welcome';
    /** ID of this client. */
    id: string;
    /** Key with which a new connection can resume as this participant within 30 s. */
    resume_key: string;
    /** Role of the client. */
    role: Role;
    /** Permissions of the client. */
    permissions: Permissions;
    /** ID of the room. */
    room: {
      /** ID of the request. */
      room_id: string;
      /** Name. */
      name: string;
      /** ID of this session. */
      conf_num: string;
      /** Settings, as in the room routes. */
      settings: Record<string, unknown>;
    };
    /** The other participants. */
    participants: Participant[];
    /** ID of the participant whom a moderator shows large to all, if any. */
    spotlight?: string;
    /** True if the session is recorded. */
    recording: boolean;
    /** True while speech is recognised for captions. */
    captions: boolean;
    /** IDs of the participants who are speaking. */
    talking: string[];
    /** STUN and TURN servers, in the format of `RTCPeerConnection`. */
    ice_servers: {
      /** State of the member. */
      urls: string[];
      /** Credential for TURN. */
      username?: string;
      /** Credential for TURN. */
      credential?: string;
    }[];
  };
  /** A participant joined. */
  joined: {
    type: 'joined';
    /** A participant, as seen by others. */
    participant: Participant;
  };
  /** A participant left. */
  left: {
    type: 'left';
    /** ID of the participant. */
    id: string;
    /** Reason. */
    reason: 'left' | 'dropped' | 'lost' | 'ended' | 'denied';
  };
  /** Properties of a participant, or of this client, changed. */
  changed: {
    type: 'changed';
    /** A participant, as seen by others. */
    participant: Participant;
  };
  /** The set of speaking participants changed. */
  talking: {
    type: 'talking';
    /** IDs of the speaking participants. */
    participants: string[];
  };
  /** For moderators: participants in the lobby. */
  knocking: {
    type: 'knocking';
    /** All participants in the lobby. */
    participants: {
      /** ID for `admit` and `deny`. */
      id: string;
      /** Display name. */
      name: string;
      /** Role of the client. */
      role: Role;
    }[];
  };
  /** In a lecture: the client got the floor, or lost it. */
  floor: {
    type: 'floor';
    /** True if the client may speak. */
    given: boolean;
    /** Permissions of the client. */
    permissions: Permissions;
  };
  /** The recording started or stopped. */
  recording: {
    type: 'recording';
    /** True if the recording is active. */
    on: boolean;
  };
  /** Answers `invite`. The token admits one person, once. */
  invitation: {
    type: 'invitation';
    /** ID of the invitation, and `user_ref` of the person in reports. */
    id: string;
    /** Role of the client. */
    role: Role;
    /** Name in the token. */
    name: string;
    /** Token for `join`. */
    token: string;
    /** End of its validity, in ms since 1970. */
    expires_at: number;
  };
  /** Answers `revoke_invitation`. */
  invitation_over: {
    type: 'invitation_over';
    /** ID of the invitation. */
    id: string;
    /** `used`: it was used before. */
    state: 'revoked' | 'used';
  };
  /** For the audience: state of the live stream. Sent after `welcome`, and after each change. */
  broadcast: {
    type: 'broadcast';
    /** `starting`: available in a few seconds; `failed`: the stream cannot be made and will be retried. */
    state: 'starting' | 'live' | 'failed';
    /** With `live`: path of an HLS playlist on this service. It is valid for this participant only, for at most 6 hours, while the participant is in the room. */
    url?: string;
  };
  /** A chat message. */
  chat: {
    type: 'chat';
    /** ID of the sender. */
    from: string;
    /** Name of the sender. */
    name: string;
    /** Text of the message. */
    text: string;
    /** Time, in ms since 1970. */
    at: number;
    /** True if it was sent to this client only. */
    private: boolean;
  };
  /** A participant, or this client, reacted with an emoji. */
  reaction: {
    type: 'reaction';
    /** ID of the participant. */
    participant: string;
    /** Emoji. */
    emoji: string;
  };
  /** Speech in the session is being recognised for captions, because at least one participant receives them, or no longer. */
  captions: {
    type: 'captions';
    /** True while speech is recognised. */
    on: boolean;
  };
  /** Words of a speaker, for clients that turned captions on. The next message with the same `line` replaces this one. */
  caption: {
    type: 'caption';
    /** Number of the line. */
    line: number;
    /** ID of the speaker. */
    participant: string;
    /** Name of the speaker. */
    name: string;
    /** Words so far. Empty: the line was a mistake. */
    text: string;
    /** False while the words may still change. */
    final: boolean;
  };
  /** State of a poll, as this client may see it. Sent at each change, and for all polls of the session after `welcome`. */
  poll: {
    type: 'poll';
    /** ID of the poll. */
    id: string;
    /** Name of the moderator who asked. */
    by: string;
    /** Question. */
    question: string;
    /** Possible answers. */
    answers: string[];
    /** True if several answers may be chosen. */
    multiple: boolean;
    /** True if no names are shown. */
    anonymous: boolean;
    /** Recipients of the results. */
    results: 'all' | 'moderators';
    /** False once it is closed. */
    open: boolean;
    /** Number of participants who have voted. */
    votes: number;
    /** Indexes of the answers that this client chose. Absent before its vote. */
    own?: number[];
    /** Number of votes for each answer, if this client may see the results. */
    counts?: number[];
    /** Names of the voters for each answer, if this client may see the results and the poll is not anonymous. */
    voters?: string[][];
  };
  /** A moderator changed which participant is shown large to all. */
  spotlight: {
    type: 'spotlight';
    /** ID of the participant. Absent if there is none any more. */
    participant?: string;
  };
  /** The media engine restarted: the client must offer new connections; `sub.offer` follows automatically. */
  media_restarted: {
    type: 'media_restarted';
  };
  /** Media fails, or works again. Without `source`: the connection for sent or received media cannot be established, and is retried every 30 seconds. With `source`: only this source fails, for example because its codec is not forwarded or not supported by the browser. */
  media: {
    type: 'media';
    /** Direction: sent or received by the client. */
    direction: 'send' | 'receive';
    /** True if it works again. */
    works: boolean;
    /** Source. */
    source?: Source;
    /** Publisher of the source. Absent for a source of the client. */
    participant?: string;
    /** Description of the problem, with advice. Present if it does not work. */
    message?: string;
  };
  /** A moderator denied the client. No further message follows. */
  denied: {
    type: 'denied';
  };
  /** A moderator removed the client. No further message follows. */
  dropped: {
    type: 'dropped';
  };
  /** The session has ended. No further message follows. */
  ended: {
    type: 'ended';
    /** Reason. `room_over`: the room no longer exists. */
    reason: 'ended' | 'room_over';
  };
  /** Answers `pub.offer`. Media that is not accepted is inactive in it. */
  'pub.answer': {
    type: 'pub.answer';
    /** Version of that offer, if it had one. */
    version?: number;
    /** SDP (RFC 8866). */
    sdp: string;
  };
  /** The media of the client does not arrive: it must close that connection and send `pub.offer` from a new one. */
  'pub.restart': {
    type: 'pub.restart';
  };
  /** Offers the media that the client receives. Answered with `sub.answer`. */
  'sub.offer': {
    type: 'sub.offer';
    /** Version, which the answer repeats. */
    version: number;
    /** SDP (RFC 8866). A changed ICE user name stands for a new connection. */
    sdp: string;
    /** Active media lines. */
    tracks: {
      /** `mid` of the media line. */
      mid: string;
      /** ID of the publisher; `phones` is the mix of all phones in the room. */
      participant: string;
      /** Source. */
      source: Source;
    }[];
  };
};

export type ServerMessage = ServerMessages[keyof ServerMessages];

/** Source. */
export type Source = 'audio' | 'video' | 'screen';

export type Sources = Source[];

/** Role of the client. */
export type Role = 'moderator' | 'participant' | 'viewer' | 'audience';

/** Permissions of the client. */
export type Permissions = {
  /** True if it may send audio and video. */
  publish: boolean;
  /** True if it may receive audio and video of others. */
  subscribe: boolean;
  /** True if it may start and stop recordings. */
  record: boolean;
  /** True if it may see statistics of others. */
  stats: boolean;
  /** True if it may control other participants. */
  controlhandlers: boolean;
};

/** A participant, as seen by others. */
export type Participant = {
  /** ID in other messages. */
  id: string;
  /** Display name. */
  name: string;
  /** Role of the client. */
  role: Role;
  /** True for a phone. */
  phone: boolean;
  /** True if its connection is down and may be restored. */
  away: boolean;
  /** True if it requests the floor. */
  hand: boolean;
  /** True if it may speak in a lecture. */
  floor: boolean;
  /** Muted sources: they are not forwarded. */
  muted: Sources;
  /** Muted sources that the participant cannot unmute. */
  hard_muted: Sources;
  /** Published sources. */
  published: Sources;
  /** True if many of its packets are lost. */
  poor_link: boolean;
};
