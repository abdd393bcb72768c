/**
 * What changes something stands in here: readers do not see it, because the service would refuse it. Why they do not, the
 * head of each page says (`page.tsx`). Of commands, `changes` says the same (`commands.ts`).
 */
import type { ComponentChildren } from 'preact';
import { isReader } from './session.ts';

export const UnlessReader = ({ children }: { children: ComponentChildren }) => (isReader() ? null : children);
