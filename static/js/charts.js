/* Draws every <figure data-chart="id of its JSON"> with Plotly, in the colours of the theme.
   A colour in the JSON may be the name of a token ("var:series-1", "var:muted"). */
const MOST_POINTS = 2000;
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/* light-dark() is resolved by the browser: ask what the colour came to be. */
const token = (name) => {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
};

/* Colours become the theme's, but only where a colour belongs. Everything else that is text stays text: Plotly
   reads tags and entities in labels, and a name that somebody typed may hold both. */
const TEMPLATES = new Set(["hovertemplate", "texttemplate"]);
const COLORS = new Set(["color", "colors", "colorway", "bgcolor", "bordercolor", "fillcolor", "linecolor", "gridcolor"]);
const resolved = (value, key = "") => {
  if (Array.isArray(value)) return value.map((inner) => resolved(inner, key));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner, name)]));
  }
  if (typeof value !== "string" || TEMPLATES.has(key)) return value;
  if (COLORS.has(key)) return value.startsWith("var:") ? token(value.slice(4)) : value;
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
};

/* Long names would leave no room for the marks: the axis shows their beginning, the hover and the table all. */
const LONGEST = 24;
const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
const namedTicks = (traces, axis) => {
  const names = [...new Set(traces.flatMap((trace) => trace[axis] ?? []))].filter((name) => typeof name === "string");
  if (!names.some((name) => name.length > LONGEST)) return {};
  return { tickmode: "array", tickvals: names.map((name) => resolved(name)), ticktext: names.map((name) => resolved(shortened(name))) };
};

const merged = (below, above) => {
  const result = { ...below };
  for (const [key, value] of Object.entries(above ?? {})) {
    const both = value && result[key] && !Array.isArray(value) && typeof value === "object" && typeof result[key] === "object";
    result[key] = both ? merged(result[key], value) : value;
  }
  return result;
};

const axis = (gridded) => ({
  automargin: true,
  color: token("muted"),
  gridcolor: token("line"),
  linecolor: token("line"),
  zerolinecolor: token("line"),
  showgrid: gridded,
  showline: !gridded,
  zeroline: false,
  ticks: "",
  title: { standoff: 8, font: { size: 12 } },
});

const layout = (wanted) => {
  const base = {
    autosize: true,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    colorway: [1, 2, 3, 4, 5, 6].map((place) => token(`series-${place}`)),
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: token("text") },
    margin: { l: 8, r: 8, t: 8, b: 8, pad: 4 },
    showlegend: false,
    bargap: 0.4,
    legend: { orientation: "h", y: 1.12, x: 0, font: { color: token("text") } },
    hoverlabel: { bgcolor: token("surface"), bordercolor: token("line"), font: { color: token("text"), size: 12 }, align: "left" },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: token("muted"), activecolor: token("accent") },
    xaxis: axis(false),
    yaxis: axis(true),
  };
  const asked = resolved(wanted ?? {});
  // A chart of bars lying down, or of dots by kind, says so: its grid stands the other way.
  if (asked.meta?.grid === "x") [base.xaxis, base.yaxis] = [axis(true), axis(false)];
  return merged(base, asked);
};

const config = {
  displaylogo: false,
  displayModeBar: false,
  responsive: true,
  plotlyServerURL: "",
  showSendToCloud: false,
  modeBarButtonsToRemove: ["sendChartToCloud", "lasso2d", "select2d"],
};

const counted = (traces) => traces.reduce((sum, trace) => sum + Math.max(trace.x?.length ?? 0, trace.y?.length ?? 0), 0);

const draw = (figure) => {
  const plot = figure.querySelector("[data-chart-plot]");
  const source = document.getElementById(figure.dataset.chart);
  if (!plot || !source || !window.Plotly) return;
  const asked = JSON.parse(source.textContent);
  const traces = (asked.data ?? []).filter((trace) => !/gl$/.test(trace.type ?? "")); // WebGL needs eval
  if (counted(traces) > MOST_POINTS) {
    console.error(`Chart ${figure.id} has more than ${MOST_POINTS} points: aggregate them on the server.`);
    return;
  }
  const ticks = { xaxis: namedTicks(traces, "x"), yaxis: namedTicks(traces, "y") };
  window.Plotly.react(plot, resolved(traces), merged(layout(asked.layout), ticks), config);
};

const drawAll = () => document.querySelectorAll("figure[data-chart]").forEach(draw);

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-chart-save]") : null;
  const figure = button?.closest("figure[data-chart]");
  if (!figure || !window.Plotly) return;
  const plot = figure.querySelector("[data-chart-plot]");
  window.Plotly.downloadImage(plot, { format: "png", scale: 2, filename: figure.id, width: plot.clientWidth, height: plot.clientHeight });
});
document.addEventListener("plumbline:theme", drawAll);
document.addEventListener("htmx:after:swap", drawAll);
drawAll();
