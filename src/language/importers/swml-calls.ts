/** Call graph of SWML sections, computed before any step is written. Used by `swml.ts`. */
import { isObject, type Json } from '../../base/core/json.ts';
import { documentNameOf } from './file-names.ts';
import { unviewed } from './source-views.ts';
import type { SwmlVerb } from './swml-context.ts';

export interface SwmlCalls {
  sections: ReadonlySet<string>;
  /** Number of `execute` methods for each section that can be executed and returns. */
  executed: ReadonlyMap<string, number>;
  /** Sections that receive parameters. */
  withParameters: ReadonlySet<string>;
  /** True if a `transfer` also leads to the section. */
  isSharedWithOthers(section: string): boolean;
}

interface Lead {
  from: string;
  to: string;
  comesBack: boolean;
  hasParameters: boolean;
}

export function callsIn(sections: ReadonlyMap<string, readonly SwmlVerb[]>): SwmlCalls {
  const leads = [...sections].flatMap(([from, verbs]) =>
    verbs.flatMap(({ name, fields }) => leadsIn(from, { [name]: fields })),
  );
  const known = leads.filter(({ to }) => sections.has(to));
  const ledTo = new Map(
    [...Map.groupBy(known, ({ from }) => from)].map(([from, all]) => [from, all.map(({ to }) => to)]),
  );
  const [first] = sections.keys();
  const returning = Map.groupBy(
    known.filter(({ comesBack }) => comesBack),
    ({ to }) => to,
  );
  const executed = new Map(
    [...returning].flatMap(([to, all]): [string, number][] =>
      to === first || sections.get(to)!.length === 0 || leadsBack(ledTo, to) ? [] : [[to, all.length]],
    ),
  );
  return {
    sections: new Set(sections.keys()),
    executed,
    withParameters: new Set(known.flatMap(({ to, hasParameters }) => (hasParameters && to !== first ? [to] : []))),
    isSharedWithOthers: (section) => known.some(({ to, comesBack }) => to === section && !comesBack),
  };
}

/** Finds `execute` and `transfer` in nested methods, too. */
function leadsIn(from: string, view: Json): Lead[] {
  const value = typeof view === 'object' && view !== null ? unviewed(view) : view;
  if (Array.isArray(value)) return value.flatMap((each) => leadsIn(from, each));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, written]) => {
    const inner = leadsIn(from, written);
    if (key !== 'execute' && key !== 'transfer') return inner;
    const to = isObject(written) ? (written['dest'] ?? written['value']) : written;
    if (typeof to !== 'string') return inner;
    const hasParameters = isObject(written) && isObject(written['params']);
    return [{ from, to: documentNameOf(to), comesBack: key === 'execute', hasParameters }, ...inner];
  });
}

/** True if a section leads to itself, directly or through other sections. */
function leadsBack(ledTo: ReadonlyMap<string, readonly string[]>, section: string): boolean {
  const seen = new Set<string>();
  const open = [section];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const to of ledTo.get(name) ?? []) {
      if (to === section) return true;
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return false;
}
