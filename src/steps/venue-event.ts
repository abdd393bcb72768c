/** Readers of what a place tells. */
import { isObject, type Json } from '../core/json.ts';
import { count, text } from './arguments.ts';
import type { StepEvent } from './step.ts';

export type VenueEvent = Extract<StepEvent, { type: 'venue' }>;

export const textIn = (data: Json, name: string): string => (isObject(data) ? text(data[name]) : '');
export const numberIn = (data: Json, name: string): number => (isObject(data) ? count(data[name], 0) : 0);
export const flagIn = (data: Json, name: string): boolean => isObject(data) && data[name] === true;
