/** Dial-in route, `/video/v2/dialin/`: phone numbers, and settings for SIP phones. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { DialIn } from '../../../media/rooms/dial-in.ts';
import { type VideoRoute, videoRoute } from './video-route.ts';

export const DIAL_IN_ROUTES: readonly VideoRoute[] = [
  videoRoute('GET', '/dialin', {
    summary: 'returns the dial-in access to rooms from the configuration (`video.dial_in`)',
    response: 'dial-in',
    errors: [],
    handle: ({ projectId }, { dialIn }) => dialInBody(projectId, dialIn),
  }),
];

/** The project key is not shown, because only its hash is stored. */
function dialInBody(projectId: string, dialIn: DialIn): JsonObject {
  const { numbers, serverUrl, username, password, sigServers, mediaServers } = dialIn;
  return {
    _id: projectId,
    app_key: '',
    settings: { sip: numbers.length > 0 || serverUrl !== '' },
    sip: {
      server_url: serverUrl,
      ...{ username, password },
      sig_servers: [...sigServers],
      media_servers: [...mediaServers],
    },
    dialin: numbers.map(({ country, countryCode, phone, toll }) => ({
      country,
      country_code: countryCode,
      phone,
      toll,
    })),
  };
}
