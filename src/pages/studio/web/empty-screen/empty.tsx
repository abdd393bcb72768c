/** A screen or list without content: a drawing, a sentence, and what to do first. */
import './empty.css';
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icons.tsx';

interface EmptyProps {
  icon: IconName;
  /** One sentence. */
  text: string;
  /** A button or link. */
  children?: ComponentChildren;
}

export const Empty = ({ icon, text, children }: EmptyProps) => (
  <div class="empty-screen">
    <span class="empty-drawing" aria-hidden="true">
      <Icon name={icon} size={26} />
    </span>
    <p>{text}</p>
    {children}
  </div>
);
