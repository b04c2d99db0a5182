/** What the page uses of preact. */
export class Component {
  constructor(props);
  props;
  state;
  setState(changes: object): void;
  forceUpdate(): void;
}
export function h(type: unknown, props: object | null, ...children: unknown[]): unknown;
export function render(content: unknown, box: Element): void;
