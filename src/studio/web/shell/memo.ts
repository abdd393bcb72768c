/** Components that are drawn again only when that shows: `preact/compat` has it with much that nobody here needs. */
import { type Attributes, Component, type ComponentClass, createElement, type FunctionComponent } from 'preact';

/** `isSame`: with these properties it looks as it does. */
export function memo<Props extends object>(
  Inner: FunctionComponent<Props>,
  isSame: (before: Props, after: Props) => boolean,
): ComponentClass<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }

    // Signals that it reads draw the inner one, whatever is said of the properties.
    override render() {
      return createElement(Inner, this.props as Props & Attributes);
    }
  };
}
