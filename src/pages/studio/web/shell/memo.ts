/** `memo` for components. The one of `preact/compat` brings much unused code. */
import { type Attributes, Component, type ComponentClass, createElement, type FunctionComponent } from 'preact';

/** `isSame` returns true if the component looks the same with both property sets. */
export function memo<Props extends object>(
  Inner: FunctionComponent<Props>,
  isSame: (before: Props, after: Props) => boolean,
): ComponentClass<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }

    // A component of its own, so that signals still render it when the properties are the same.
    override render() {
      return createElement(Inner, this.props as Props & Attributes);
    }
  };
}
