/** Checks names of time zones, with a suggestion for unknown ones. */
import { quoting } from '../core/diagnostic.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { suggest } from './suggest.ts';

export function timeZoneProblem(zone: string): { message: string; hint: string } | undefined {
  if (isTimeZone(zone)) return undefined;
  const near = nearestZone(zone);
  const hint = near === undefined ? 'zones are named by a city: Europe/Paris' : `did you mean ${near}?`;
  return { message: quoting`there is no time zone ${zone}`, hint };
}

const cityOf = (zone: string): string => zone.split('/').at(-1)!;

/** Zone of a city with this or a similar name. */
function nearestZone(zone: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = suggest(cityOf(zone.trim().replaceAll(' ', '_')), zones.map(cityOf));
  return zones.find((known) => cityOf(known) === city);
}
