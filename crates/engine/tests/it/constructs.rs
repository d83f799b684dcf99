//! One small repository each for JavaScript, PHP, Kotlin and Ruby with the constructs that the
//! judged call sites are made of.
//!
//! A comment `name => Type.member` states what the call or use of `name` on its line means; `name
//! => external` and the like state the outcome where there is no target. What is known to be wrong
//! is stated as it is, with a FIXME.

use engine::{Analysis, Budget, Resolver, SymbolId};

#[track_caller]
fn check(repository: &str) {
    let fixture = fixture::repository(repository);
    let analysis = Analysis::new(fixture.snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let (mut n_stated, mut wrong) = (0, String::new());
    for (file, entry) in fixture.snapshot.files() {
        let (Some(view), Some(text)) = (
            resolver.view(file),
            fixture.snapshot.corpus().text(entry.content),
        ) else {
            continue;
        };
        for (i, line) in text.lines().enumerate() {
            let Some((_, comment)) = line
                .rsplit_once("//")
                .or_else(|| line.rsplit_once(" # "))
                .filter(|(_, comment)| comment.contains(" => "))
            else {
                continue;
            };
            for statement in comment.split(';') {
                let Some((name, expected)) = statement.trim().split_once(" => ") else {
                    continue;
                };
                n_stated += 1;
                let id = view.facts.names.find(name);
                let references = id
                    .map(|id| view.facts.references_of(id))
                    .unwrap_or_default();
                let here = references.iter().filter(|reference| {
                    view.facts.lines.line_number(reference.span.start) as usize == i + 1
                });
                resolver.explain();
                let mut answers: Vec<String> = here
                    .map(|reference| answer(&resolver, &resolver.resolve(&view, reference)))
                    .collect();
                answers.dedup();
                let reasons = resolver.take_reasons();
                if answers.join(" and ") != expected {
                    wrong += &format!(
                        "{}:{}: `{name}` is {}, not {expected} ({})\n",
                        entry.path,
                        i + 1,
                        answers.join(" and "),
                        reasons.join("; ")
                    );
                }
            }
        }
    }
    assert!(n_stated > 0);
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn answer(resolver: &Resolver<'_>, resolution: &engine::Resolution) -> String {
    use engine::Outcome::{Ambiguous, External, Unresolved};
    let mut names: Vec<String> = resolution
        .symbols()
        .map(|symbol| qualified(resolver, symbol))
        .collect();
    names.dedup();
    match resolution.outcome {
        Ambiguous | External | Unresolved => resolution.outcome.word().to_owned(),
        outcome if names.is_empty() => outcome.word().to_owned(),
        _ => names.join(", "),
    }
}

fn qualified(resolver: &Resolver<'_>, symbol: SymbolId) -> String {
    match resolver.self_type(symbol) {
        engine::Ty::Instance(of, _) if of != symbol => {
            format!("{}.{}", resolver.name(of), resolver.name(symbol))
        }
        _ => resolver.name(symbol),
    }
}

#[test]
fn javascript_modules() {
    check(
        "
//- lib/option.js
class Option {
  constructor(flags) { this.flags = flags }
  env(name) { this.name = name; return this }
}
exports.Option = Option
exports.parse = function parse(text) { return new Option(text) }
//- lib/helpers.js
function trim(text) { return text }
const upper = (text) => trim(text) // trim => trim
module.exports = { trim, upper, twice: trim, nested: { deep() {} } }
//- lib/command.js
const { Option, parse: read } = require('./option')
const helpers = require('./helpers')
module.exports = class Command {
  add() { return new Option('a').env('A') } // Option => Option; env => Option.env
  read() { return read('b').env('B') } // read => parse; env => Option.env
  help() { helpers.upper('c'); helpers.twice('d') } // upper => upper; twice => trim
}
//- app.js
const Command = require('./lib/command')
const { Option } = require('./lib/option')
new Command().add().env('X') // add => Command.add; env => Option.env
const fs = require('fs')
fs.readFileSync('a') // readFileSync => external
//- esm/shape.js
export default class Shape { area() { return 1 } }
export function make() { return new Shape() } // Shape => Shape
export const later = () => soon() // soon => soon
const soon = () => 1
//- esm/main.mjs
import Shape, { make as build } from './shape.js'
import * as all from './shape.js'
build().area() // build => make; area => Shape.area
new Shape().area() // area => Shape.area
all.make().area() // make => make; area => Shape.area
",
    );
}

#[test]
fn javascript_classes_and_objects() {
    check(
        "
//- a.js
function Animal(name) { this.name = name; this.friend = new Friend() }
Animal.prototype.speak = function () { return this.name }
Animal.prototype.greet = function () { this.speak(); this.friend.wave() } // speak => Animal.speak; wave => Friend.wave
Animal.create = function () { return new Animal('a') }
class Friend {
  #secret() {}
  static all() { return [new Friend()] }
  wave() { this.#secret(); return this } // #secret => Friend.#secret
  get home() { return new Home() }
}
class Home { enter() {} }
class Decoy { wave() {} enter() {} speak() {} greet() {} create() {} }
class Mixed {}
Object.assign(Mixed.prototype, { extra() {} })
function main() {
  const animal = new Animal('b')
  animal.speak() // speak => Animal.speak
  Animal.create().greet() // create => Animal.create; greet => Animal.greet
  new Friend().wave().wave() // wave => Friend.wave
  for (const friend of Friend.all()) friend.wave() // all => Friend.all; wave => Friend.wave
  Friend.all().map((friend) => friend.wave()) // map => external; wave => Friend.wave
  new Friend().home.enter() // enter => Home.enter
  Object.assign(new Home(), {}).enter() // enter => Home.enter
  const { program } = setUp()
  program.enter() // enter => Home.enter
  const { inner: { friend } } = { inner: { friend: new Friend() } }
  friend.wave() // wave => Friend.wave
}
function setUp() { const program = new Home(); return { program, other: 1 } }
",
    );
}

#[test]
fn javascript_documented_types() {
    check(
        "
//- help.js
class Help {
  /**
   * @param {Option} option
   * @param {Command[]} commands
   */
  term(option, commands) {
    option.flags() // flags => Option.flags
    commands.forEach((command) => command.run()) // run => Command.run
  }
  /** @return {Help} this, to go on */
  sorted() { return cache[0] }
}
class Option { flags() {} }
class Command { run() {} }
class Decoy { flags() {} run() {} term() {} sorted() {} shout() {} }
class Loud extends Help { shout() {} }
/** @type {Help} */
let current = restore()
/** @returns {?Option} */
function find() { return table[0] }
function main() {
  current.term() // term => Help.term
  find().flags() // flags => Option.flags
  new Loud().sorted().shout() // sorted => Help.sorted; shout => Loud.shout
}
",
    );
}

#[test]
fn php_names_and_types() {
    check(
        r"
//- src/Handler.php
<?php
namespace Log\Handler;
use Log\Record as Entry;
use function Log\trim_text;
interface Handler { public function handle(Entry $entry): bool; }
trait Processes {
    protected array $processors = [];
    public function push(callable $processor): self { return $this; }
    protected function process(Entry $entry): Entry { return $entry->with('a'); } // with => Record.with
}
abstract class Base implements Handler {
    public function __construct(protected Entry $last) {}
    public static function create(): static { return new static(new Entry()); }
    public function close(): void { $this->last->with('x'); } // with => Record.with
}
class Stream extends Base {
    use Processes;
    public function handle(Entry $entry): bool {
        $this->process($entry)->with('b'); // process => Processes.process; with => Record.with
        trim_text('c'); // trim_text => trim_text
        parent::close(); // close => Base.close
        self::helper(); // helper => Stream.helper
        \strlen('d'); // strlen => external
        return true;
    }
    private static function helper() {}
    /** @return Entry[] */
    public function entries() { return []; }
}
//- src/Record.php
<?php
namespace Log;
class Record { public function with(string $key): self { return $this; } }
function trim_text(string $text): string { return \trim($text); } // trim => external
enum Level: int {
    case Debug = 1;
    public function name(): string { return ''; }
    public static function of(int $n): self { return self::Debug; }
}
//- tests/Test.php
<?php
namespace Tests;
use Log\Handler\{Stream, Handler};
use Log\{Level, Record};
class Test {
    private Stream $stream;
    /** @var Record */
    private $record;
    protected function setUp(): void { $this->stream = Stream::create(); } // create => Base.create
    public function test(Handler $handler, ?Record $maybe): void {
        $this->stream->push(fn() => 1)->close(); // push => Processes.push; close => Base.close
        $this->record->with('a'); // with => Record.with
        $maybe?->with('b'); // with => Record.with
        Level::of(1)->name(); // of => Level.of; name => Level.name
        Level::Debug->name(); // name => Level.name
        foreach ($this->stream->entries() as $entry) { $entry->with('c'); } // entries => Stream.entries; with => Record.with
        if ($handler instanceof Stream) { $handler->entries(); } // entries => Stream.entries
        $made = new \Log\Record();
        $made->with('d'); // with => Record.with
        array_map(fn (Record $record) => $record->with('e'), []); // with => Record.with
        $anonymous = new class extends Record { public function more() { $this->with('f'); } }; // with => Record.with
        try { $this->test($handler, null); } catch (\Log\Oops $oops) { $oops->explain(); } // explain => Oops.explain
    }
}
//- src/Oops.php
<?php
namespace Log;
class Oops extends \Exception { public function explain() { return $this->getMessage(); } } // getMessage => external
//- root.php
<?php
class Decoy { function only() {} function with() {} function push() {} function close() {} function name() {} function entries() {} function explain() {} function create() {} function process() {} }
class Root { public function only() {} }
function top() { (new \Root())->only(); namespace\top(); } // only => Root.only
",
    );
}

#[test]
fn kotlin_receivers() {
    check(
        "
//- shop/Cart.kt
package shop
class Item(val name: String, val price: Int) { fun pay() = price; fun copyOf(): Item = this }
class Cart {
  private val items = mutableListOf<Item>()
  val first: Item get() = items.first()
  val lazyItem by lazy { Item(\"a\", 1) }
  var last: Item? = null
  fun add(item: Item): Cart { items.add(item); return this } // add => external
  operator fun get(i: Int): Item = items[i]
  operator fun plus(item: Item): Cart = add(item) // add => Cart.add
  infix fun with(item: Item): Cart = add(item) // add => Cart.add
  fun total() = items.sumOf { it.pay() } // pay => Item.pay
  companion object { fun empty() = Cart(); const val MAX = 3 } // Cart => Cart
  inner class Lid { fun close() = total() } // total => Cart.total
}
class Decoy { fun total() = 0; fun pay() = 0; fun add() = 0; fun copyOf() = 0; fun empty() = 0; fun close() = 0 }
object Registry { val carts = HashMap<String, Cart>(); fun find(name: String): Cart? = carts[name] }
fun Cart.checkout(): Int = total() // total => Cart.total
fun String.shout() = uppercase()
val Cart.size: Int get() = total() // total => Cart.total
fun build(block: Cart.() -> Unit): Cart = Cart().apply(block)
fun each(items: List<Item>, action: (Item) -> Unit) { items.forEach(action); items.forEach { action(it) } }
//- shop/Main.kt
package shop.app
import shop.*
import shop.Cart as Basket
sealed interface Event
data class Added(val item: Item) : Event
object Cleared : Event { fun wipe() {} }
fun main() {
  val cart = Cart()
  cart.add(Item(\"a\", 1)).total() // add => Cart.add; total => Cart.total
  cart.first.pay() // pay => Item.pay
  cart.lazyItem.pay() // pay => Item.pay
  cart.last?.pay() // pay => Item.pay
  cart.last!!.copyOf().pay() // copyOf => Item.copyOf; pay => Item.pay
  cart[0].pay() // pay => Item.pay
  cart with Item(\"b\", 2) // with => Cart.with
  cart.checkout() // checkout => Cart.checkout
  \"x\".shout() // shout => shout
  Basket.empty().total() // empty => Companion.empty; total => Cart.total
  Cart.empty().total() // empty => Companion.empty; total => Cart.total
  Registry.find(\"a\")?.total() // find => Registry.find; total => Cart.total
  cart.let { it.total() } // total => Cart.total
  cart.also { other -> other.total() } // total => Cart.total
  cart.apply { total() } // total => Cart.total
  cart.run { total() } // total => Cart.total
  with(cart) { total() } // total => Cart.total
  build { add(Item(\"c\", 3)) } // add => Cart.add
  each(listOf(Item(\"d\", 4))) { it.pay() } // pay => Item.pay
  val (item) = Added(Item(\"e\", 5))
  item.pay() // pay => Item.pay
  Added(Item(\"f\", 6)).copy().item.pay() // pay => Item.pay
  listOf(1).map { Item(\"g\", it) }.filter { it.pay() > 1 }.first().pay() // pay => Item.pay
  cart.Lid().close() // close => Lid.close
}
fun handle(event: Event, any: Any?) {
  when (event) {
    is Added -> event.item.pay() // pay => Item.pay
    Cleared -> Cleared.wipe() // wipe => Cleared.wipe
  }
  if (any is Item) any.pay() // pay => Item.pay
  if (any !is Cart) return
  any.total() // total => Cart.total
}
fun after(any: Any) { (any as Item).pay(); val item = any as? Item; item?.pay() } // pay => Item.pay
fun handler(run: (Item) -> Unit, item: Item) { run(item); item.run { pay() } } // pay => Item.pay
",
    );
}

#[test]
fn ruby_classes_and_modules() {
    check(
        "
//- lib/shop.rb
module Shop
  class << self
    attr_accessor :default
    def open(name) # a comment
      Store.new(name) # new => Store.initialize
    end
  end
  module Countable
    def count
      # FIXME: the classes that mix this in have it.
      items.size # items => unresolved
    end
  end
  module Findable
    def find(name)
      new(name)
    end
  end
  class Base
    def initialize(name)
      @name = name
    end
    def describe
      label # label => Base.label
    end
    def label
      'base'
    end
    def self.build(name)
      new(name) # new => Base.initialize
    end
  end
  class Store < Base
    include Countable
    extend Findable
    attr_reader :items, :owner
    delegate :email, to: :owner
    alias_method :things, :items
    def initialize(name)
      super # initialize => Base.initialize
      @items = []
      @owner = Owner.new
    end
    def label
      super + @owner.email # label => Base.label; email => Owner.email
    end
    define_method(:dynamic) { Owner.new }
    def add(item)
      @items << item
      self
    end
    private
    def secret
      self.class.build('x') # build => Base.build
    end
  end
  class Owner
    def email
      'a@example.org'
    end
  end
  Point = Struct.new(:x, :y) do
    def length
      x + y # x => Point.x; y => Point.y
    end
  end
end
//- app.rb
require_relative 'lib/shop'
store = Shop::Store.new('a') # new => Store.initialize
store.describe # describe => Base.describe
store.count # count => Countable.count
store.items # items => Store.items
store.owner.email # owner => Store.owner; email => Owner.email
store.email # email => Store.email
store.dynamic.email # dynamic => Store.dynamic; email => Owner.email
store.add(1).add(2) # add => Store.add
Shop.open('b').describe # open => Shop.open; describe => Base.describe
Shop::Store.find('c') # find => Findable.find
Shop::Store.build('d').add(3) # build => Base.build; add => Store.add
Shop::Point.new(1, 2).length # length => Point.length
[store].each { |each_store| each_store.describe } # describe => Base.describe
case store
when Shop::Store then store.describe # describe => Base.describe
end
begin
  store.label # label => Store.label
rescue Shop::Oops => error
  error.explain # explain => Oops.explain
end
//- lib/oops.rb
module Shop
  class Oops < StandardError
    def explain
      message # message => external
    end
  end
end
//- lib/decoy.rb
class Decoy
  def email; end
  def describe; end
  def label; end
  def add; end
  def count; end
  def build; end
  def explain; end
  def length; end
  def owner; end
end
//- lib/refined.rb
module Shouting
  refine String do
    def shout
      # FIXME: a refinement's methods are those of the class that it refines, here a library's.
      upcase # upcase => unresolved
    end
  end
end
//- spec/store_spec.rb
RSpec.describe Shop::Store do
  subject { described_class.new('e') } # new => Store.initialize
  let(:owner) { Shop::Owner.new }
  it 'describes' do
    subject.describe # describe => Base.describe
    owner.email # email => Owner.email
  end
end
RSpec.describe Shop::Owner do
  it 'has an address' do
    subject.email # email => Owner.email
  end
end
",
    );
}

#[test]
fn what_php_finds_at_the_root_is_named_without_it() {
    let fixture = fixture::repository(
        "//- a.php\n<?php\nnamespace App;\nclass A { function f$0() { return \\count([1]) + is_int(3) + \\Fiber::getCurrent(); } }\nfunction g(A $a) { $a->f(); }\n",
    );
    let analysis = Analysis::new(fixture.snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let beyond = engine::query::callees(&resolver, fixture.symbol_at_cursor(&resolver))
        .value
        .1;
    let names: Vec<&str> = beyond
        .external
        .iter()
        .map(|(name, ..)| name.as_str())
        .collect();
    assert_eq!(names, ["count", "is_int", "Fiber\\getCurrent"]);
}
