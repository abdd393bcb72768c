/** Application of this service in Asterisk: its event subscriptions, and the channels that only it owns. */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { type AriRequest, ariPath } from './ari-client.ts';

export interface OwnApplication {
  /**
   * Subscribes to events of these channels; false if Asterisk does not confirm it. Each has its own request, because
   * Asterisk refuses a list in which one channel has ended, and a line of more than four thousand characters.
   */
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  /** Channels of this application. An adopting node subscribes to the channels that it has taken over. */
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
