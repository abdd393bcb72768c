/** The bodies of requests: rooms. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { JsonObject } from '../../../base/core/json.ts';

export type RoomBody = {
  name?: string;
  owner_ref?: string;
  settings: {
    description?: string;
    mode: 'group' | 'lecture';
    scheduled: boolean;
    adhoc: boolean;
    scheduled_time?: string;
    duration?: number;
    moderators?: number;
    participants?: number;
    audiences: number;
    hls_view_url?: string;
    send_audiences_stats: boolean;
    auto_recording: boolean;
    screen_share: boolean;
    canvas: boolean;
    knock: boolean;
    feedback: boolean;
    invitations: ('moderator' | 'participant' | 'viewer' | 'audience')[];
    captions?: string;
    keep_captions: boolean;
    wait_for_moderator: boolean;
    quality?: 'HD' | 'SD' | 'LD';
    abwd: boolean;
    facex: boolean;
    max_active_talkers: number;
    active_talker?: boolean;
    single_file_recording: boolean;
    role_based_recording: {
      moderator: 'audiovideo' | 'audio';
      participant: 'audiovideo' | 'audio';
    };
    live_recording: boolean | {
      auto_recording?: boolean;
      url?: string;
    };
    watermark: boolean;
    media_zone: 'IN' | 'SG' | 'US' | 'XX';
    billing_code: string;
  };
  sip: {
    enabled: boolean;
  };
  data?: JsonObject;
};

export type RoomTokenBody = {
  name?: string;
  role?: 'moderator' | 'participant' | 'viewer' | 'audience';
  user_ref?: string;
  data?: JsonObject;
};
