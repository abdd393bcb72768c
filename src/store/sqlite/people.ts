/**
 * What is kept about people. `TABLES` has every table of the database, and what becomes of it when a call is deleted or a
 * person is forgotten; a test compares it with the schema. Neighbours: `people-calls.ts` deletes calls.
 */
import type { PeopleStore } from '../../calls/people/people-store.ts';
import { createCallDeletion } from './people-calls.ts';
import type { StoreParts } from './store-parts.ts';

export const sqlitePeople = (parts: StoreParts): PeopleStore => createCallDeletion(parts);
