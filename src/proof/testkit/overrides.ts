/**
 * An object with some members replaced. Methods of the original keep the original as `this`, even if they are detached
 * first.
 */
export function withOverrides<Target extends object>(target: Target, over: Partial<Target>): Target {
  return new Proxy(target, {
    get(original, key) {
      if (Object.hasOwn(over, key)) return over[key as keyof Target];
      const value: unknown = Reflect.get(original, key, original);
      return typeof value === 'function' ? value.bind(original) : value;
    },
  });
}
