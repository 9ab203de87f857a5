/** A list of rows of one height that has elements only for those that can be seen. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** The height of one row in pixels. */
  readonly rowHeight: number;
  /** The greatest height of the list in pixels; fewer rows make it lower. */
  readonly maxHeight: number;
  readonly keyOf: (item: T) => string;
  readonly label: string;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** Rows above and below the visible ones, so that scrolling shows no gap. */
const spare = 6;

export function VirtualList<T>(props: VirtualListProps<T>): JSX.Element {
  const { items, rowHeight, maxHeight } = props;
  const box = useRef<HTMLElement>(null);
  const scrolled = useSignal(0);
  const height = Math.min(maxHeight, items.length * rowHeight);
  useLayoutEffect(() => {
    // A list that became shorter moves its end into view without an event of its own.
    scrolled.value = box.current?.scrollTop ?? 0;
  }, [items.length]);
  const first = Math.max(0, Math.floor(scrolled.value / rowHeight) - spare);
  const last = Math.min(items.length, Math.ceil((scrolled.value + height) / rowHeight) + spare);
  return (
    <section
      class="virtual"
      ref={box}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ height: `${height}px` }}
      onScroll={(event) => {
        scrolled.value = event.currentTarget.scrollTop;
      }}
    >
      <ol class="virtual-rows" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, at) => (
          <li
            key={props.keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + at + 1}
            style={{ top: `${(first + at) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {props.children(item, first + at)}
          </li>
        ))}
      </ol>
    </section>
  );
}
