/** Client for the routes of people in the studio. */
import { request } from '../api.ts';

export interface PlaceInFlow {
  flow: string;
  step?: string | undefined;
  /** Path of the field in its step, such as `play.prompt`. */
  field?: string | undefined;
}

export interface PersonInFlow extends PlaceInFlow {
  who: string;
}

/** The latest save of a flow. */
export interface LatestSave {
  flow: string;
  who: string;
  etag: string;
  /** Absent for a draft with errors. */
  version_number?: number;
  /** ISO 8601. */
  at: string;
}

/** Heartbeat of a tab. Without a place, the tab leaves its flow. */
export async function reportPlace(tab: string, place: PlaceInFlow | undefined): Promise<PersonInFlow[]> {
  const given = Object.entries({ tab, ...place }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const path = `/admin/v1/studio/people?${new URLSearchParams(given)}`;
  // A closed tab still reports that it has left.
  return (await request<{ people: PersonInFlow[] }>(path, { keepalive: true })).people;
}
