/** Icons as inline SVG, 16 by 16 with a single stroke. Icons of verbs are part of the flow language. */
import { DrawnIcon } from '../../shared/web/drawn-icon.tsx';
import { loadedLanguage, loadLanguage } from './text/load-language.ts';

const PATHS = {
  flows: 'M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5v5H9',
  calls: 'M4.5 2 6.5 5.5 5 7a9 9 0 0 0 4 4l1.5-1.5L14 11.5 13 14C7 14 2 9 2 3z',
  broadcasts: 'M2 6.5v3h3l6 3.5V3L5 6.5zM13.5 6a3 3 0 0 1 0 4',
  conferences:
    'M8 3.2a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM5 13v-1.5a3 3 0 0 1 6 0V13M3 6.5v.01M13 6.5v.01M1.8 11.5c0-1 .6-1.8 1.5-2M14.2 11.5c0-1-.6-1.8-1.5-2',
  rooms: 'M2 4h8.5v8H2zM10.5 7l3.5-2v6l-3.5-2',
  tests: 'M2.5 8.5 6 12l7.5-8',
  numbers: 'M6 2 4.5 14M11.5 2 10 14M2.5 5.5h11M2.5 10.5h11',
  settings: 'M2 4.5h7M12 4.5h2M10.5 3v3M2 11.5h2M7 11.5h7M5.5 10v3',
  health: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  phone:
    'M4.5 1.5h7v13h-7zM6.5 4h.01M8 4h.01M9.5 4h.01M6.5 6.5h.01M8 6.5h.01M9.5 6.5h.01M6.5 9h.01M8 9h.01M9.5 9h.01M7 12.5h2',
  versions: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.6',
  restore: 'M3 8a5 5 0 0 1 8.6-3.5L13.5 6M13.5 2.5V6H10M13 8a5 5 0 0 1-8.6 3.5L2.5 10M2.5 13.5V10H6',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  remove: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  edit: 'M3 13l.7-2.9L10.6 3.2l2.2 2.2-6.9 6.9z',
  account: 'M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM2.5 14c.4-2.8 2.6-4.5 5.5-4.5s5.1 1.7 5.5 4.5',
  import: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 11.5v2h11v-2',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  comment: 'M2.5 3h11v8H8l-3 2.5V11H2.5z',
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14 14',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

const STROKE_WIDTH = 1.5;
/** Icon of a verb that is unknown, or not yet loaded. */
const ANY_VERB = 'M3 4h10M3 8h6M3 12h8';

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <DrawnIcon path={PATHS[name]} size={size} strokeWidth={STROKE_WIDTH} />
);

export function VerbIcon({ verb }: { verb: string }) {
  const icon = loadedLanguage.value?.verbs[verb]?.icon;
  // Drawings from the service may be shown before anything else needs the language.
  if (loadedLanguage.value === undefined) void loadLanguage().catch(() => undefined);
  return <DrawnIcon path={icon?.path ?? ANY_VERB} size={16} strokeWidth={icon?.weight ?? STROKE_WIDTH} />;
}
