declare const htm: {
  bind<Made>(
    make: (type: unknown, props: Record<string, unknown> | null, ...children: unknown[]) => Made,
  ): (strings: TemplateStringsArray, ...values: unknown[]) => Made;
};
export default htm;
