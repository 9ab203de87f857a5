/** Light or dark: what the system prefers, or what the switch says; the switch is remembered in the browser. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const order: readonly Theme[] = ['system', 'light', 'dark'];
const stored = 'kubeflect-theme';

const preference = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(preference.matches);
const chosen = signal<Theme>(readChoice());

/** What the switch says. */
export const theme: ReadonlySignal<Theme> = chosen;

/** Whether the page is dark now. */
export const isDark: ReadonlySignal<boolean> = computed(() =>
  chosen.value === 'system' ? systemIsDark.value : chosen.value === 'dark',
);

/** Applies the theme from now on. */
export function followTheme(): void {
  preference.addEventListener('change', () => {
    systemIsDark.value = preference.matches;
  });
  effect(() => {
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
  });
}

/** The next position of the switch. */
export function switchTheme(): void {
  chosen.value = order[(order.indexOf(chosen.value) + 1) % order.length]!;
  try {
    localStorage.setItem(stored, chosen.value);
  } catch {
    // A browser that stores nothing forgets the choice when the page is closed.
  }
}

function readChoice(): Theme {
  try {
    return order.find((name) => name === localStorage.getItem(stored)) ?? 'system';
  } catch {
    return 'system';
  }
}
