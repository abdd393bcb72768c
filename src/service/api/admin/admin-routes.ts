/** All routes of the admin API, in the order of their documentation. */
import type { AdminRoute } from './admin-route.ts';
import { ADMINISTRATOR_ROUTES } from './administrator-routes.ts';
import { ADMIN_CALL_ROUTES } from './call-routes.ts';
import { EXPORT_ROUTES } from './export-routes.ts';
import { FLOW_CANARY_ROUTES } from './flow-canary-routes.ts';
import { FLOW_ROUTES } from './flow-routes.ts';
import { FLOW_SAVE_ROUTES } from './flow-save-routes.ts';
import { FLOW_SEARCH_ROUTES } from './flow-search-routes.ts';
import { FLOW_TEST_ROUTES } from './flow-test-routes.ts';
import { FLOW_TRIAL_ROUTES } from './flow-trial-routes.ts';
import { NODE_ROUTES } from './node-routes.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';
import { PEOPLE_ROUTES } from './people-routes.ts';
import { PROJECT_ROUTES } from './project-routes.ts';
import { PROMPT_ROUTES } from './prompt-routes.ts';
import { REHEARSAL_ROUTES } from './rehearsal-routes.ts';
import { ADMIN_ROOM_ROUTES } from './room-routes.ts';
import { CARRIER_ROUTES, NUMBER_ROUTES, SCHEDULE_ROUTES, USER_ROUTES } from './setting-routes.ts';
import { SIP_ROUTES } from './sip-routes.ts';
import { STUDIO_ROUTES } from './studio-routes.ts';
import { TRAIL_ROUTES } from './trail-routes.ts';
import { LIST_RECEIVERS } from './webhook-receiver-routes.ts';

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...PROJECT_ROUTES,
  LIST_RECEIVERS,
  ...NUMBER_ROUTES,
  ...PROMPT_ROUTES,
  ...USER_ROUTES,
  ...CARRIER_ROUTES,
  ...SCHEDULE_ROUTES,
  ...FLOW_ROUTES,
  ...FLOW_SEARCH_ROUTES,
  ...FLOW_CANARY_ROUTES,
  ...FLOW_TRIAL_ROUTES,
  ...FLOW_SAVE_ROUTES,
  ...FLOW_TEST_ROUTES,
  ...STUDIO_ROUTES,
  ...REHEARSAL_ROUTES,
  ...ADMIN_ROOM_ROUTES,
  ...EXPORT_ROUTES,
  ...ADMIN_CALL_ROUTES,
  ...SIP_ROUTES,
  ...OPERATION_ROUTES,
  ...NODE_ROUTES,
  ...ADMINISTRATOR_ROUTES,
  ...PEOPLE_ROUTES,
  ...TRAIL_ROUTES,
];
