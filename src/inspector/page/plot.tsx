/** One plot of the last minutes: lines over time, with the newest values, or those below the pointer, as text. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { timeOfDay } from './format.js';
import { isDark } from './theme.js';

/** One line of a plot. Its colour is the one of its place: palettes are in the order of the lines. */
export interface PlotLine {
  readonly label: string;
  /** Whether its colour is that of errors. */
  readonly isBad?: boolean;
}

export interface PlotProps {
  readonly title: string;
  readonly lines: readonly PlotLine[];
  /** Times in milliseconds, then one column of values for each line. */
  readonly data: ReadonlySignal<readonly (readonly (number | null)[])[]>;
  readonly format: (value: number) => string;
}

const height = 112;
const palettes = {
  light: { lines: ['#2f5fd0', '#0f8a7e', '#9a5bd0', '#b06a00'], bad: '#c62f3b', grid: '#e4e7ee', text: '#5a6274' },
  dark: { lines: ['#84a9ff', '#4fd0bd', '#c9a0f5', '#e9b35a'], bad: '#ff7b84', grid: '#262c38', text: '#98a1b3' },
};
type Palette = (typeof palettes)['light'];

export function Plot({ title, lines, data, format }: PlotProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const pointed = useSignal<number | null>(null);
  const dark = isDark.value;
  const palette = dark ? palettes.dark : palettes.light;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const plot = new uPlot(
      optionsOf(lines, palette, format, element.clientWidth, (index) => {
        pointed.value = index;
      }),
      columns(data.value),
      element,
    );
    const stop = data.subscribe((next) => plot.setData(columns(next)));
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      stop();
      plot.destroy();
    };
  }, [dark, data]);
  return (
    <figure class="plot">
      <figcaption>
        <span class="plot-title">{title}</span>
        <Legend lines={lines} data={data} pointed={pointed} palette={palette} format={format} />
      </figcaption>
      <div class="plot-box" ref={box} aria-hidden="true" />
    </figure>
  );
}

interface LegendProps extends Omit<PlotProps, 'title'> {
  readonly pointed: ReadonlySignal<number | null>;
  readonly palette: Palette;
}

function Legend({ lines, data, pointed, palette, format }: LegendProps): JSX.Element {
  const index = useComputed(() => {
    const times = data.value[0]!;
    return pointed.value !== null && pointed.value < times.length ? pointed.value : times.length - 1;
  });
  const at = data.value[0]![index.value];
  return (
    <span class="legend">
      {pointed.value !== null && typeof at === 'number' && <span class="dim">{timeOfDay(at).slice(0, 8)}</span>}
      {lines.map((line, place) => {
        const value = data.value[place + 1]?.[index.value];
        return (
          <span key={line.label}>
            <i class="swatch" style={{ background: colourOf(line, place, palette) }} />
            {line.label} <b>{typeof value === 'number' ? format(value) : '–'}</b>
          </span>
        );
      })}
    </span>
  );
}

const colourOf = (line: PlotLine, place: number, { lines, bad }: Palette) =>
  line.isBad === true ? bad : lines[place % lines.length]!;

/** uPlot wants seconds. */
function columns(data: readonly (readonly (number | null)[])[]): uPlot.AlignedData {
  const [times = [], ...values] = data;
  return [times.map((at) => (at ?? 0) / 1000), ...values.map((column) => [...column])] as uPlot.AlignedData;
}

function optionsOf(
  lines: readonly PlotLine[],
  palette: Palette,
  format: (value: number) => string,
  width: number,
  point: (index: number | null) => void,
): uPlot.Options {
  const axis = {
    stroke: palette.text,
    font: '11px system-ui, sans-serif',
    grid: { stroke: palette.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 4, 0, 0],
    cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, (high ?? 0) * 1.15)] } },
    axes: [
      {
        ...axis,
        size: 22,
        space: 60,
        incrs: [10, 30, 60, 120, 300],
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((at) => timeOfDay(at * 1000).slice(0, step < 60 ? 8 : 5)),
      },
      { ...axis, size: 48, space: 28, values: (_plot, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...lines.map((line, place) => ({
        stroke: colourOf(line, place, palette),
        width: 1.5,
        points: { show: false },
        ...(place === 0 && !line.isBad && { fill: `${colourOf(line, place, palette)}1f` }),
      })),
    ],
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
  };
}
