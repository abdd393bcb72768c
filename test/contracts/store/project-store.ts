/** The contract of `ProjectStore`. */
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../src/service/calls/projects/project-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const projectOf = (projectId: string, createdMs: number): Project => ({
  projectId,
  name: `Project ${projectId}`,
  keyHash: 'scrypt$1$1$1$c2FsdA$aGFzaA',
  webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  webhookFormat: 'encrypted',
  strictBridgeState: false,
  cliPolicy: 'any',
  createdMs,
});

export function runProjectStoreContract(make: MakeStoreHarness): void {
  describe('project store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('finds what was created, and lists it oldest first', async () => {
      await store.projects.create(projectOf('young', 2));
      await store.projects.create(projectOf('old', 1));
      expect(store.projects.find('old')).toEqual(projectOf('old', 1));
      expect(store.projects.find('nobody')).toBeUndefined();
      expect(store.projects.list()).toEqual([projectOf('old', 1), projectOf('young', 2)]);
    });

    it('refuses a second project of the same id and keeps the first', async () => {
      await store.projects.create(projectOf('one', 1));
      await expect(store.projects.create(projectOf('one', 2))).rejects.toThrow('there is a project one');
      expect(store.projects.list()).toEqual([projectOf('one', 1)]);
    });

    it('creates a first one only where there is none', async () => {
      expect(await store.projects.createFirst(projectOf('one', 1))).toBe(true);
      expect(await store.projects.createFirst(projectOf('two', 2))).toBe(false);
      expect(store.projects.list()).toEqual([projectOf('one', 1)]);
    });

    it('changes and removes those that are there', async () => {
      await store.projects.create(projectOf('one', 1));
      await store.projects.create(projectOf('two', 2));
      const changed: Project = {
        ...projectOf('one', 1),
        name: 'Another name',
        keyHash: 'hmac$c2FsdA$aGFzaA',
        webhookSecret: 'whsec_AAAA',
        webhookFormat: 'plain',
        strictBridgeState: true,
        cliPolicy: 'own',
        maxCalls: 30,
        callsPerSecond: 4,
      };
      expect(await store.projects.update(changed)).toBe(true);
      expect(store.projects.list()).toEqual([changed, projectOf('two', 2)]);
      expect(await store.projects.remove('two')).toBe(true);
      expect(store.projects.list()).toEqual([changed]);
      expect(await store.projects.update(projectOf('two', 2))).toBe(false);
      expect(await store.projects.remove('two')).toBe(false);
      expect(store.projects.find('two')).toBeUndefined();
    });

    it('keeps what was valid before, and forgets it', async () => {
      const renewed: Project = {
        ...projectOf('one', 1),
        previousKey: { hash: 'hmac$c2FsdA$aGFzaA', untilMs: 5 },
        previousWebhookSecret: { secret: 'whsec_AAAA', untilMs: 7 },
      };
      await store.projects.create(projectOf('one', 1));
      await store.projects.update(renewed);
      expect(store.projects.find('one')).toEqual(renewed);
      await store.projects.update(projectOf('one', 1));
      expect(store.projects.find('one')).toEqual(projectOf('one', 1));
    });

    it('returns copies of its projects', async () => {
      await store.projects.create(projectOf('one', 1));
      store.projects.find('one')!.keyHash = 'changed';
      expect(store.projects.find('one')).toEqual(projectOf('one', 1));
    });

    it('still has the projects after it was closed and opened again', async ({ skip }) => {
      await store.projects.create(projectOf('one', 1));
      await reopen(skip);
      expect(store.projects.list()).toEqual([projectOf('one', 1)]);
    });
  });
}
