/** Reasons for which a request about a room fails. A table in `api/` maps each code to an HTTP status. */
export type RoomErrorCode =
  | 'configured'
  | 'room_unknown'
  | 'archive_file_unknown'
  | 'room_active'
  | 'room_full'
  | 'room_over'
  | 'room_not_open'
  | 'service_draining'
  | 'room_type_fixed'
  | 'room_scheduled_invalid'
  | 'room_time_missing'
  | 'room_time_malformed'
  | 'room_time_past'
  | 'room_participants_invalid'
  | 'room_moderators_invalid'
  | 'room_duration_invalid'
  | 'room_adhoc_invalid'
  | 'room_quality_refused'
  | 'room_setting_misplaced'
  | 'role_invalid'
  | 'audience_unavailable';

export class RoomError extends Error {
  readonly code: RoomErrorCode;
  readonly hint: string | undefined;

  constructor(code: RoomErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
