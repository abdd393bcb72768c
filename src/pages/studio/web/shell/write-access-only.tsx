/**
 * Hides its children from users with read access, because the service would refuse their changes. The page header
 * explains the restriction (`page.tsx`). The equivalent for commands is `changes` (`commands.ts`).
 */
import type { ComponentChildren } from 'preact';
import { isReader } from './session.ts';

export const WriteAccessOnly = ({ children }: { children: ComponentChildren }) => (isReader() ? null : children);
