/** Our application at Asterisk: whose events it gets, and which channels are of no other. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type AriRequest, ariPath } from './ari-client.ts';

export interface OwnApplication {
  /**
   * From now on events of these channels come here; false where Asterisk does not say so. One request for each: it refuses
   * a list in which one channel is gone, and a line of more than four thousand characters.
   */
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  /** Channels of this application. Those taken over by another node are subscribed to there. */
  channels(): Promise<Set<string>>;
}

export function ownApplication(application: string, request: AriRequest): OwnApplication {
  return {
    async subscribe(channelIds) {
      const path = ariPath('applications', application, 'subscription');
      const replies = await Promise.all(
        channelIds.map((id) => request('POST', `${path}?eventSource=${encodeURIComponent(`channel:${id}`)}`)),
      );
      return replies.every(({ status }) => status === 200);
    },
    async channels() {
      const { body } = await request('GET', 'applications');
      const applications = (Array.isArray(body) ? body : []).filter(isObject);
      const isMine = ({ name }: JsonObject): boolean => name === application;
      const others = new Set(applications.filter((each) => !isMine(each)).flatMap(channelsOf));
      return new Set(
        applications
          .filter(isMine)
          .flatMap(channelsOf)
          .filter((channelId) => !others.has(channelId)),
      );
    },
  };
}

const channelsOf = ({ channel_ids: ids }: JsonObject): string[] =>
  Array.isArray(ids) ? ids.filter((channelId) => typeof channelId === 'string') : [];
