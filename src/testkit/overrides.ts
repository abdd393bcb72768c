/**
 * An object with some of its members replaced, whatever it is made of: methods of the original are called on the
 * original, also when they were taken out of the object before.
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
