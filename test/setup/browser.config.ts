import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';
import { browserFiles } from './turns.ts';

/** One worker for each turn of browsers. */
const maxWorkers = 2;

export default defineConfig({ ...usual, test: { ...usual.test, maxWorkers, include: browserFiles(), exclude: [] } });
