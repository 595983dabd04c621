'use strict';

const plan = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);

/* ---- Small helpers ---- */

function make(tag, attributes = {}, ...children) {
  const isSvg = ['svg', 'g', 'rect', 'path', 'text', 'tspan', 'title'].includes(tag);
  const element = isSvg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'onclick') element.addEventListener('click', value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function timeText(seconds) {
  const size = Math.abs(seconds);
  if (size >= 1) return seconds.toFixed(3) + ' s';
  if (size >= 1e-3) return (seconds * 1e3).toFixed(3) + ' ms';
  return (seconds * 1e6).toFixed(1) + ' us';
}

function costText(cost) {
  const hasInterval = cost.high > cost.low && cost.high < 1e9;
  return timeText(cost.seconds) + (hasInterval ? ` (${timeText(cost.low)} to ${timeText(cost.high)})` : '');
}

/* "1 3-5" as numbers. */
function numbers(ranges) {
  const result = [];
  for (const range of ranges ? ranges.split(' ') : []) {
    const [first, last = first] = range.split('-').map(Number);
    for (let number = first; number <= last; ++number) result.push(number);
  }
  return result;
}

const kindOf = (target) => target.split(' ')[0];
/* With its attributes where another target is of the same kind. */
const shortName = (target) => plan.targets.filter((each) => kindOf(each) === kindOf(target)).length > 1 ? target : kindOf(target);
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '\u2026' : text;

/* Each target's colour, in the order of the plan; what none runs has the host's. */
function colourOf(target) {
  const index = plan.targets.indexOf(target);
  return index < 0 ? 'var(--host)' : `var(--t${index % 8})`;
}
const coloured = (target) => `--colour: ${colourOf(target)}`;

function operatorsText(nodes) {
  const runs = [];
  for (const node of nodes) {
    const op = plan.nodes[node].op;
    if (runs.length && runs.at(-1).op === op) ++runs.at(-1).count;
    else runs.push({op, count: 1});
  }
  return runs.map((run) => run.op + (run.count > 1 ? ` \u00d7${run.count}` : '')).join(' ');
}

for (const part of plan.parts) part.nodes = numbers(part.operators);
const targetOf = (node) => node.part === undefined ? '' : plan.parts[node.part].target;
const measuredParts = plan.parts.filter((part) => part.cost);
const sumOfParts = measuredParts.reduce((sum, part) => sum + part.cost.seconds, 0);

/* ---- What is selected, everywhere at once ---- */

const views = [];  // Each is told {node, part}.

function select(node, part = plan.nodes[node].part) {
  for (const show of views) show({node, part});
}
const selectPart = (part) => select(plan.parts[part].nodes[0], part);

/* ---- The race ---- */

function showRace() {
  const winner = plan.contestants[0];
  const slowest = Math.max(...plan.contestants.map((each) => each.measured ? each.measured.seconds : 0));
  byId('summary').textContent = [
    `${plan.nodes.length} operators in ${plan.parts.length} parts`,
    winner.measured ? `${winner.name}, ${timeText(winner.measured.seconds)}` : winner.name,
    plan.machine].filter(Boolean).join(' \u00b7 ');
  if (!slowest) byId('race-section').hidden = true;
  for (const each of plan.contestants) {
    const row = make('div', {class: 'racer' + (each === winner ? ' winner' : '')}, make('span', {class: 'name'}, each.name));
    if (each.measured) {
      const length = make('div', {class: 'length', style: `width: ${100 * each.measured.seconds / slowest}%`});
      row.append(make('div', {class: 'track', title: costText(each.measured)}, length),
                 make('span', {class: 'time'}, timeText(each.measured.seconds)));
    } else {
      row.append(make('span', {class: 'failure'}, each.failed ? `did not run: ${each.failed}` : 'was not measured'));
    }
    byId('race').append(row);
  }
  const notes = [];
  if (plan.error !== undefined)
    notes.push(`The sum of the winner's parts is ${Math.abs(100 * plan.error).toFixed(1)} % ${plan.error < 0 ? 'less' : 'more'} than its measured time.`);
  const search = plan.search;
  if (search.candidates)
    notes.push(`${search.candidates} candidates of ${search.classes} classes; measured in ${search.rounds} rounds: ${search.measured}, conversions among them.`);
  if (search.lower_bound) notes.push(`No plan of these has parts that sum to less than ${timeText(search.lower_bound)}.`);
  for (const remark of plan.remarks) notes.push(`While measuring: ${remark}.`);
  byId('race-note').textContent = notes.join(' ');
}

/* ---- Legend and timeline ---- */

function showLegend() {
  const owners = [...plan.targets, ''];
  for (const target of owners) {
    const nodes = plan.nodes.filter((node) => targetOf(node) === target).length;
    if (!nodes) continue;
    const parts = plan.parts.filter((part) => part.target === target);
    const seconds = parts.reduce((sum, part) => sum + (part.cost ? part.cost.seconds : 0), 0);
    const share = target && seconds && sumOfParts ? `, ${(100 * seconds / sumOfParts).toFixed(1)} % of the time` : '';
    byId('legend').append(make('li', {}, make('span', {class: 'swatch of', style: coloured(target)}),
                               `${target ? shortName(target) : 'views, nobody'}: ${nodes} operators${share}`));
  }
}

function showTimeline() {
  if (!measuredParts.length) {
    byId('timeline').hidden = true;
    byId('time-note').textContent = 'Nothing was measured: placement was greedy, or its parts were not tried one by one.';
    return;
  }
  const buttons = new Map();
  plan.parts.forEach((part, index) => {
    if (!part.cost) return;
    const label = `${shortName(part.target)}, ${timeText(part.cost.seconds)}: ${operatorsText(part.nodes)}`;
    const button = make('button', {type: 'button', class: 'of', title: label, 'aria-label': label, onclick: () => selectPart(index),
                                   style: `${coloured(part.target)}; flex: ${part.cost.seconds / sumOfParts} 1 0`});
    buttons.set(index, button);
    byId('timeline').append(button);
  });
  const predicted = plan.contestants[0].predicted || 0;
  const conversions = measuredParts.length === plan.parts.length ? predicted - sumOfParts : 0;
  const isShown = conversions > 1e-3 * sumOfParts;
  if (isShown)
    byId('timeline').append(make('button', {type: 'button', class: 'conversions', style: `flex: ${conversions / sumOfParts} 1 0`,
                                            title: `conversions of layouts, all together: ${timeText(conversions)}`}));
  const total = sumOfParts + (isShown ? conversions : 0);
  for (const share of [0, 0.5, 1]) byId('axis').append(make('span', {}, timeText(share * total)));
  const missing = plan.parts.length - measuredParts.length;
  byId('time-note').textContent = (missing ? `${missing} parts were not measured one by one and are left out. ` : '') +
      (isShown ? 'At the end, hatched: conversions of layouts between parts.' : '');
  views.push(({part}) => buttons.forEach((button, index) => button.classList.toggle('selected', index === part)));
}

/* ---- The graph ---- */

const kNodeHeight = 28;

/* Down through all points, upright at each. */
function pathOf(points) {
  const last = points.length - 1;
  const at = points.map(([x, y], i) => [x, y + (i === 0 ? kNodeHeight / 2 : i === last ? -kNodeHeight / 2 : 0)]);
  let path = `M${at[0]}`;
  for (let i = 1; i <= last; ++i) {
    const middle = (at[i - 1][1] + at[i][1]) / 2;
    path += `C${at[i - 1][0]},${middle} ${at[i][0]},${middle} ${at[i]}`;
  }
  return path;
}

function drawNode(node, index) {
  const [x, y] = plan.layout.nodes[index];
  const width = plan.layout.node_width;
  const source = node.onnx_nodes.length ? node.onnx_nodes.at(-1) : '';
  const text = make('text', {x, y}, node.op);
  const room = 22 - node.op.length;
  if (source && source !== node.op && room > 4) text.append(make('tspan', {class: 'source'}, ' ' + (source.length > room ? '\u2026' + source.slice(1 - room) : source)));
  const group = make('g', {class: 'node of', style: coloured(targetOf(node)), tabindex: 0, role: 'button', 'aria-label': node.label,
                           'data-node': index, onclick: () => select(index)},
                     make('title', {}, node.label),
                     make('rect', {x: x - width / 2, y: y - kNodeHeight / 2, width, height: kNodeHeight, rx: 6}), text);
  group.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') select(index);
  });
  return group;
}

function drawEdge({from, to, points}) {
  const part = plan.nodes[to].part;
  const isInside = part !== undefined && plan.nodes[from].part === part;
  return make('path', {d: pathOf(points), class: isInside ? 'edge inside of' : 'edge', style: isInside ? coloured(plan.parts[part].target) : ''});
}

function showGraph() {
  if (!plan.nodes.length) {
    byId('explorer').hidden = true;
    return;
  }
  const {width, height} = plan.layout;
  const groups = plan.nodes.map(drawNode);
  const svg = make('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'operators from top to bottom'},
                   make('g', {}, ...plan.layout.edges.map(drawEdge)), make('g', {}, ...groups));
  byId('graph').append(svg);
  let zoom = 1;
  const setZoom = (value) => {
    zoom = Math.min(3, Math.max(0.05, value));
    svg.setAttribute('width', width * zoom);
    svg.setAttribute('height', height * zoom);
  };
  const fit = () => setZoom(Math.min(1, byId('graph').clientWidth / width));
  byId('smaller').addEventListener('click', () => setZoom(zoom / 1.3));
  byId('larger').addEventListener('click', () => setZoom(zoom * 1.3));
  byId('fit').addEventListener('click', fit);
  fit();
  setZoom(Math.max(zoom, 0.7));  // Readable first.
  byId('graph').scrollLeft = (width * zoom - byId('graph').clientWidth) / 2;
  views.push(({node, part}) => groups.forEach((group, index) => {
    group.classList.toggle('selected', index === node);
    group.classList.toggle('together', part !== undefined && plan.nodes[index].part === part);
  }));
  byId('find').addEventListener('change', () => {
    const wanted = byId('find').value.trim().toLowerCase();
    const found = wanted ? plan.nodes.findIndex((each) => each.label.toLowerCase().includes(wanted)) : -1;
    if (found < 0) return;
    select(found);
    groups[found].scrollIntoView({block: 'center', inline: 'center'});
  });
}

/* ---- Details of a node ---- */

const kWords = {takes: 'takes it', declined: 'declines it', not_measured: 'was not measured', failed: 'failed', crashed: 'crashed',
                timed_out: 'ran out of time', wrong: 'computes something else'};

function answerElement(answer) {
  const element = make('div', {class: 'answer', 'data-answer': answer.answer},
                       make('span', {class: 'swatch of', style: coloured(answer.target)}),
                       make('span', {class: 'who', title: answer.target}, shortName(answer.target)), ' ',
                       make('span', {class: 'kind'}, kWords[answer.answer] || answer.answer));
  if (answer.reason) element.append(make('p', {}, answer.reason));
  if (answer.cost) {
    const nodes = numbers(answer.operators);
    element.append(make('p', {}, costText(answer.cost) + (nodes.length > 1 ? ` for ${nodes.length} operators: ${cut(operatorsText(nodes), 120)}` : '')));
    if (answer.loss > 0) element.append(make('p', {}, `The plan would take ${timeText(answer.loss)} more.`));
  }
  if (answer.change) element.append(make('p', {class: 'change'}, `To run here: ${answer.change}`));
  return element;
}

function byText(node) {
  if (node.part === undefined) return 'A view: nobody has to run it.';
  const part = plan.parts[node.part];
  const others = part.nodes.length - 1;
  return `Run by ${part.target}` + (others ? ` together with ${others} other${others > 1 ? 's' : ''}: ${cut(operatorsText(part.nodes), 160)}` : '') +
      (part.cost ? `, ${costText(part.cost)}` : '') + (part.rule ? `; from rule ${part.rule}` : '') + '.' +
      (part.runner_up ? ` Next best: ${shortName(part.runner_up.target)}, ${part.runner_up.slack < 0 ? '' : '+'}${timeText(part.runner_up.slack)}.` : '');
}

function showDetails() {
  const details = byId('details');
  details.append(make('h3', {}, 'Why here?'), make('p', {class: 'by'}, 'Select an operator, a part of the timeline or a row of the table.'));
  views.push(({node: index}) => {
    const node = plan.nodes[index];
    const close = make('button', {type: 'button', class: 'close', onclick: () => details.classList.remove('open')}, 'close');
    details.replaceChildren(close, make('h3', {}, node.label), make('p', {class: 'by'}, byText(node)), ...node.answers.map(answerElement));
    if (!node.answers.length) details.append(make('p', {class: 'note'}, 'The plan does not hold what targets said of it.'));
    details.classList.add('open');
    details.scrollTop = 0;
  });
}

/* ---- The table of parts ---- */

const kColumns = [
  {name: 'time', isNumber: true, key: (part) => part.cost ? part.cost.seconds : -1, text: (part) => part.cost ? timeText(part.cost.seconds) : '\u2013'},
  {name: 'share', isNumber: true, key: (part) => part.cost ? part.cost.seconds : -1,
   text: (part) => part.cost && sumOfParts ? (100 * part.cost.seconds / sumOfParts).toFixed(1) + ' %' : '\u2013'},
  {name: 'target', key: (part) => part.target, text: (part) => shortName(part.target)},
  {name: 'operators', key: (part) => part.nodes[0], text: (part) => cut(operatorsText(part.nodes), 90), class: 'operators'},
  {name: 'next best', isNumber: true, key: (part) => part.runner_up ? part.runner_up.slack : Infinity,
   text: (part) => part.runner_up ? `${part.runner_up.slack < 0 ? '' : '+'}${timeText(part.runner_up.slack)} ${shortName(part.runner_up.target)}` : '\u2013'},
  {name: 'rule', key: (part) => part.rule || '', text: (part) => part.rule || '\u2013'},
];

function showTable() {
  if (!plan.parts.length) {
    byId('parts-section').hidden = true;
    return;
  }
  const rows = plan.parts.map((part, index) => {
    const row = make('tr', {'data-part': index, onclick: () => selectPart(index)});
    for (const column of kColumns) {
      const cell = make('td', {class: (column.isNumber ? 'number ' : '') + (column.class || '')}, column.text(part));
      if (column.name === 'target') cell.prepend(make('span', {class: 'swatch of', style: coloured(part.target)}));
      row.append(cell);
    }
    return row;
  });
  const body = make('tbody');
  const heads = kColumns.map((column) => make('th', {'aria-sort': 'none', class: column.isNumber ? 'number' : ''},
                                              make('button', {type: 'button', onclick: () => sortBy(column)}, column.name)));
  let sorted = null, isDown = false;
  function sortBy(column) {
    isDown = sorted === column ? !isDown : Boolean(column.isNumber);
    sorted = column;
    heads.forEach((head, i) => head.setAttribute('aria-sort', kColumns[i] !== column ? 'none' : isDown ? 'descending' : 'ascending'));
    const keys = plan.parts.map(column.key);
    const order = keys.map((_, index) => index).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0) * (isDown ? -1 : 1));
    body.replaceChildren(...order.map((index) => rows[index]));
  }
  byId('parts').append(make('thead', {}, make('tr', {}, ...heads)), body);
  sortBy(kColumns[0]);
  views.push(({part}) => rows.forEach((row, index) => row.classList.toggle('selected', index === part)));
}

showRace();
showLegend();
showTimeline();
showGraph();
showDetails();
showTable();
