import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';
import { browserFiles } from './turns.ts';

export default defineConfig({ ...usual, test: { ...usual.test, include: browserFiles(), exclude: [] } });
