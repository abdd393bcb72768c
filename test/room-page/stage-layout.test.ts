/** Positions of tiles on the stage, for two and for a hundred participants, on a telephone and on a desktop. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Participant } from '../../client/room-client.js';
import type { SessionState } from '../../src/pages/room-page/web/room-state.ts';
import { gridOf, layersOf, stageOf } from '../../src/pages/room-page/web/stage-layout.ts';

const person = (id: string, more: Partial<Participant> = {}): Participant => ({
  ...{ id, name: id, role: 'participant', phone: false, away: false, hand: false, floor: false },
  ...{ muted: [], hard_muted: [], published: ['audio', 'video'], poor_link: false },
  ...more,
});

const state = (people: Participant[], talkedLast: string[] = []) =>
  ({ people: new Map(people.map((one) => [one.id, one])), talkedLast, selfId: 'me' }) as unknown as SessionState;

const crowd = (count: number) => [person('me'), ...Array.from({ length: count }, (_, index) => person(`p${index}`))];

describe('the grid', () => {
  it.each([
    [1, 1200, 650, 1],
    [2, 1200, 650, 2],
    [2, 378, 600, 1],
    [4, 1200, 650, 2],
    [6, 1200, 650, 3],
    [9, 1200, 650, 3],
    [16, 1200, 650, 4],
    [16, 378, 600, 3],
  ])('given %s in %s × %s: has %s columns', (count, width, height, columns) => {
    expect(gridOf(count, width, height).columns).toBe(columns);
  });

  it('crops no picture to portrait beside an open panel of a wide window', () => {
    const { width, height } = gridOf(2, 900, 560);
    expect(width / height).toBeGreaterThan(4 / 3 - 0.01);
  });

  it('never needs more room than there is', () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 16 }),
      fc.integer({ min: 300, max: 2000 }),
      fc.integer({ min: 300, max: 1400 }),
    );
    fc.assert(
      fc.property(sizes, ([count, width, height]) => {
        const { columns, rows, width: tileWidth, height: tileHeight } = gridOf(count, width, height);
        expect(columns * rows).toBeGreaterThanOrEqual(count);
        expect(columns * tileWidth + (columns - 1) * 8).toBeLessThanOrEqual(width);
        expect(rows * tileHeight + (rows - 1) * 8).toBeLessThanOrEqual(height);
        expect(Math.min(tileWidth, tileHeight)).toBeGreaterThan(0);
      }),
    );
  });
});

const keysOf = ({ tiles }: ReturnType<typeof stageOf>) => tiles.map(({ key }) => key);

describe('the stage', () => {
  it('shows all participants with equal size in a grid, in order of arrival', () => {
    const stage = stageOf(state(crowd(3), ['p2']), { view: 'grid' });
    expect([stage.main, keysOf(stage), stage.hidden]).toEqual([undefined, ['me', 'p0', 'p1', 'p2'], []]);
  });

  it('shows the participant in the spotlight large, or their screen, unless the own choice is another', () => {
    const people = [person('me'), person('p0'), person('p1', { published: ['video', 'screen'] })];
    const mainOf = (spotlight: string, pinned?: string) =>
      stageOf({ ...state(people), spotlight }, { view: 'grid', pinned }).main?.key;
    expect([mainOf('p0'), mainOf('p1'), mainOf('p0', 'me'), mainOf('gone')]).toEqual([
      ...['p0', 'p1 screen', 'me', 'p1 screen'],
    ]);
  });

  it('has at most 16 tiles in a grid, one for the number of the others: last speakers first, then cameras', () => {
    const people = crowd(30);
    people[1] = person('p0', { published: ['audio'] });
    const stage = stageOf(state(people, ['p29', 'p28']), { view: 'grid' });
    expect(stage.tiles).toHaveLength(15);
    expect(keysOf(stage)).toEqual(expect.arrayContaining(['me', 'p29', 'p28', 'p1']));
    expect(keysOf(stage)).not.toContain('p0');
    expect(stage.hidden).toHaveLength(16);
  });

  it('shows large the last speaker, the pinned participant, or a screen', () => {
    const people = crowd(3);
    const mainOf = (wish: Parameters<typeof stageOf>[1], of = people) => stageOf(state(of, ['p1']), wish).main?.key;
    expect(mainOf({ view: 'speaker' })).toBe('p1');
    expect(mainOf({ view: 'grid', pinned: 'p2' })).toBe('p2');
    expect(mainOf({ view: 'grid', pinned: 'gone' })).toBeUndefined();
    const withScreen = [...people, person('s', { published: ['screen'] })];
    expect(mainOf({ view: 'grid' }, withScreen)).toBe('s screen');
    const muted = [...people, person('s', { published: ['screen'], muted: ['screen'] })];
    expect(mainOf({ view: 'grid' }, muted)).toBeUndefined();
  });

  it('shows no participant of the audience', () => {
    expect(keysOf(stageOf(state([person('me'), person('x', { role: 'audience' })]), { view: 'grid' }))).toEqual(['me']);
  });
});

describe('the layer of a picture', () => {
  it('is as good as the tile is large, and off for hidden participants', () => {
    const people = crowd(20);
    const stage = stageOf(state(people, ['p0']), { view: 'speaker' });
    const layers = layersOf(stage, 'me', { main: 900, tile: 176 });
    expect([layers.get('p0'), layers.get('p1'), layers.get('p19'), layers.has('me')]).toEqual([
      'HD',
      'LD',
      'off',
      false,
    ]);
  });

  it('is the smallest for participants with only their screen visible', () => {
    const people = [...crowd(12), person('s', { published: ['screen', 'video'] })];
    const layers = layersOf(stageOf(state(people), { view: 'grid' }), 'me', { main: 900, tile: 176 });
    expect(layers.get('s')).toBe('off');
    expect([...layers.values()].filter((layer) => layer === 'LD')).toHaveLength(6);
  });
});
