//! Calls through an interface, trait, base class, protocol or table of functions lead to what may
//! run, marked as dispatch; callers of an implementation include the calls through what it
//! implements; look-alikes are not joined.

use engine::{Analysis, Budget, SymbolId, query};

/// What the callable at the cursor calls: outcome and name, in order of names.
fn callees(repository: &str) -> String {
    ask(repository, |resolver, symbol| {
        query::callees(resolver, symbol).value.0
    })
}

/// Who calls the callable at the cursor.
fn callers(repository: &str) -> String {
    ask(repository, |resolver, symbol| {
        query::callers(resolver, symbol).value.0
    })
}

#[track_caller]
fn ask(
    repository: &str,
    question: impl Fn(&engine::Resolver<'_>, SymbolId) -> Vec<query::Call>,
) -> String {
    let fixture = fixture::repository(repository);
    let analysis = Analysis::new(fixture.snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let symbol = fixture.symbol_at_cursor(&resolver);
    let mut calls: Vec<String> = question(&resolver, symbol)
        .iter()
        .map(|call| format!("{} {}", call.outcome.word(), name(&resolver, call.symbol)))
        .collect();
    calls.sort();
    calls.join(", ")
}

/// `Type.member`, also for members that stand outside of their type.
fn name(resolver: &engine::Resolver<'_>, symbol: SymbolId) -> String {
    match resolver.self_type(symbol) {
        engine::Ty::Instance(of, _) if of != symbol => {
            format!("{}.{}", resolver.name(of), resolver.name(symbol))
        }
        _ => resolver.name(symbol),
    }
}

mod python {
    use super::*;

    const SHAPES: &str = "
//- shapes.py
class Shape:
    def area(self): ...
    def describe(self):
        return self.area()
class Circle(Shape):
    def area(self): return 1
class Square(Shape):
    def area(self): return 2
class Carpet:
    def area(self): return 3
";

    #[test]
    fn a_call_through_a_base_class_leads_to_the_overrides() {
        let of = callees(&format!(
            "{SHAPES}//- app.py\nfrom shapes import Shape\ndef ma$0in(shape: Shape):\n    shape.area()\n"
        ));
        assert_eq!(
            of,
            "dispatch Circle.area, dispatch Square.area, static Shape.area"
        );
    }

    #[test]
    fn callers_of_an_override_include_calls_through_the_base() {
        let of = callers(&SHAPES.replacen(
            "class Circle(Shape):\n    def area",
            "class Circle(Shape):\n    def ar$0ea",
            1,
        ));
        assert_eq!(of, "dispatch Shape.describe");
    }

    #[test]
    fn a_class_of_its_own_is_not_joined() {
        let of = callers(&SHAPES.replacen(
            "class Carpet:\n    def area",
            "class Carpet:\n    def ar$0ea",
            1,
        ));
        assert_eq!(of, "");
    }

    #[test]
    fn a_receiver_of_one_class_does_not_reach_its_sibling() {
        let of = callees(&format!(
            "{SHAPES}//- app.py\nfrom shapes import Circle\ndef ma$0in(circle: Circle):\n    circle.area()\n"
        ));
        assert_eq!(of, "static Circle.area");
    }

    #[test]
    fn super_means_the_base_and_nothing_else() {
        let of = callees(
            "
//- a.py
class Base:
    def run(self): ...
class Left(Base):
    def r$0un(self):
        super().run()
class Right(Base):
    def run(self): ...
",
        );
        assert_eq!(of, "static Base.run");
    }

    #[test]
    fn a_protocol_is_satisfied_by_its_methods() {
        let of = callees(
            "
//- a.py
from typing import Protocol
class Closer(Protocol):
    def close(self): ...
class File:
    def close(self): ...
class Door:
    def close(self, softly): ...
def sh$0ut(thing: Closer):
    thing.close()
",
        );
        assert_eq!(of, "dispatch File.close, static Closer.close");
    }
}

mod typescript {
    use super::*;

    const STORES: &str = "
//- store.ts
export interface Store { load(key: string): string }
export class Disk implements Store { load(key: string) { return key } }
export class Memory implements Store { load(key: string) { return key } }
export class Truck { load(key: string) { return key } }
";

    #[test]
    fn a_call_through_an_interface_leads_to_the_implementations() {
        let of = callees(&format!(
            "{STORES}//- app.ts\nimport {{ Store }} from './store'\nfunction ma$0in(store: Store) {{ store.load('a') }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.load, dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn callers_of_an_implementation_include_calls_through_the_interface() {
        let of = callers(
            &format!("{STORES}//- app.ts\nimport {{ Store }} from './store'\nfunction main(store: Store) {{ store.load('a') }}\n")
                .replacen("class Disk implements Store { load", "class Disk implements Store { lo$0ad", 1),
        );
        assert_eq!(of, "dispatch main");
    }

    #[test]
    fn a_class_without_the_interface_is_not_joined() {
        let of = callers(
            &format!("{STORES}//- app.ts\nimport {{ Store }} from './store'\nfunction main(store: Store) {{ store.load('a') }}\n")
                .replacen("class Truck { load", "class Truck { lo$0ad", 1),
        );
        assert_eq!(of, "");
    }

    #[test]
    fn an_abstract_class_leads_two_levels_down() {
        let of = callees(
            "
//- a.ts
abstract class Node1 { abstract draw(): void; render() { this.dr$0aw() } }
class Box extends Node1 { draw() {} }
class Frame extends Box { draw() {} }
class Other { draw() {} }
"
            .replace("this.dr$0aw()", "this.draw()")
            .replace("render()", "ren$0der()")
            .as_str(),
        );
        assert_eq!(
            of,
            "dispatch Box.draw, dispatch Frame.draw, static Node1.draw"
        );
    }

    #[test]
    fn a_receiver_of_one_class_does_not_reach_another_implementation() {
        let of = callees(&format!(
            "{STORES}//- app.ts\nimport {{ Disk }} from './store'\nfunction ma$0in(disk: Disk) {{ disk.load('a') }}\n"
        ));
        assert_eq!(of, "static Disk.load");
    }
}

mod javascript {
    use super::*;

    const ANIMALS: &str = "
//- animals.js
class Animal { speak() {} greet() { this.speak() } }
class Dog extends Animal { speak() {} }
class Cat extends Animal { speak() { super.speak() } }
class Radio { speak() {} }
module.exports = { Animal, Dog, Cat, Radio }
";

    #[test]
    fn a_template_method_leads_to_the_overrides() {
        let of = callees(&ANIMALS.replacen("greet()", "gre$0et()", 1));
        assert_eq!(
            of,
            "dispatch Cat.speak, dispatch Dog.speak, static Animal.speak"
        );
    }

    #[test]
    fn callers_of_an_override_include_the_template_method() {
        let of = callers(&ANIMALS.replacen(
            "class Dog extends Animal { speak",
            "class Dog extends Animal { sp$0eak",
            1,
        ));
        assert_eq!(of, "dispatch Animal.greet");
    }

    #[test]
    fn super_means_the_base() {
        let of = callees(&ANIMALS.replacen(
            "class Cat extends Animal { speak",
            "class Cat extends Animal { sp$0eak",
            1,
        ));
        assert_eq!(of, "static Animal.speak");
    }

    #[test]
    fn a_class_of_its_own_is_not_joined() {
        let of = callers(&ANIMALS.replacen("class Radio { speak", "class Radio { sp$0eak", 1));
        assert_eq!(of, "");
    }

    #[test]
    fn an_object_of_one_class_does_not_reach_its_sibling() {
        let of = callees(&format!(
            "{ANIMALS}//- app.js\nconst {{ Dog }} = require('./animals')\nfunction ma$0in() {{ const dog = new Dog(); dog.speak() }}\n"
        ));
        assert_eq!(of, "static Dog, static Dog.speak");
    }
}

mod java {
    use super::*;

    const SHAPES: &str = "
//- p/Shape.java
package p;
interface Shape { int area(); int area(int scale); }
//- p/Circle.java
package p;
class Circle implements Shape { public int area() { return 1; } public int area(int scale) { return scale; } }
//- p/Square.java
package p;
class Square implements Shape { public int area() { return 2; } public int area(int scale) { return scale; } }
//- p/Carpet.java
package p;
class Carpet { int area() { return 3; } }
";

    #[test]
    fn a_call_through_an_interface_leads_to_the_same_overload() {
        let of = callees(&format!(
            "{SHAPES}//- p/Main.java\npackage p;\nclass Main {{ int ma$0in(Shape shape) {{ return shape.area(); }} }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Circle.area, dispatch Square.area, static Shape.area"
        );
    }

    #[test]
    fn callers_of_an_implementation_include_calls_through_the_interface() {
        let repository = format!(
            "{SHAPES}//- p/Main.java\npackage p;\nclass Main {{ int main(Shape shape) {{ return shape.area(); }} }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "Circle implements Shape { public int area",
                "Circle implements Shape { public int ar$0ea",
                1
            )),
            "dispatch Main.main"
        );
        assert_eq!(
            callers(&repository.replacen(
                "class Carpet { int area",
                "class Carpet { int ar$0ea",
                1
            )),
            ""
        );
    }

    #[test]
    fn another_overload_is_not_joined() {
        let repository = format!(
            "{SHAPES}//- p/Main.java\npackage p;\nclass Main {{ int main(Shape shape) {{ return shape.area(); }} }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "public int area(int scale)",
                "public int ar$0ea(int scale)",
                1
            )),
            ""
        );
    }

    #[test]
    fn an_abstract_method_leads_to_its_bodies() {
        let of = callees(
            "
//- p/A.java
package p;
abstract class Job { abstract void step(); void ru$0n() { step(); } }
class Copy extends Job { void step() {} }
class Move extends Copy { void step() {} }
class Dance { void step() {} }
",
        );
        assert_eq!(
            of,
            "dispatch Copy.step, dispatch Move.step, static Job.step"
        );
    }

    #[test]
    fn overloads_told_apart_by_type_are_not_joined() {
        let of = callees(
            "
//- p/A.java
package p;
interface Visitor { void visit(Leaf leaf); void visit(Branch branch); }
class Printer implements Visitor { public void visit(Leaf leaf) {} public void visit(Branch branch) { } }
class Leaf { void acc$0ept(Visitor visitor) { visitor.visit(this); } }
class Branch { }
",
        );
        assert_eq!(of, "dispatch Printer.visit, static Visitor.visit");
    }

    #[test]
    fn super_means_the_base() {
        let of = callees(
            "
//- p/A.java
package p;
class Base { void run() {} }
class Left extends Base { void r$0un() { super.run(); } }
class Right extends Base { void run() {} }
",
        );
        assert_eq!(of, "static Base.run");
    }
}

mod csharp {
    use super::*;

    const STORES: &str = "
//- Store.cs
namespace Shop;
public interface IStore { string Load(string key); }
public class Disk : IStore { public string Load(string key) => key; }
public class Memory : IStore { public string Load(string key) => key; }
public class Truck { public string Load(string key) => key; }
";

    #[test]
    fn a_call_through_an_interface_leads_to_the_implementations() {
        let of = callees(&format!(
            "{STORES}//- Main.cs\nnamespace Shop;\nclass App {{ void Ma$0in(IStore store) {{ store.Load(\"a\"); }} }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.Load, dispatch Memory.Load, static IStore.Load"
        );
    }

    #[test]
    fn callers_of_an_implementation_include_calls_through_the_interface() {
        let repository = format!(
            "{STORES}//- Main.cs\nnamespace Shop;\nclass App {{ void Main(IStore store) {{ store.Load(\"a\"); }} }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "Disk : IStore { public string Load",
                "Disk : IStore { public string Lo$0ad",
                1
            )),
            "dispatch App.Main"
        );
    }

    #[test]
    fn a_class_without_the_interface_is_not_joined() {
        let repository = format!(
            "{STORES}//- Main.cs\nnamespace Shop;\nclass App {{ void Main(IStore store) {{ store.Load(\"a\"); }} }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "class Truck { public string Load",
                "class Truck { public string Lo$0ad",
                1
            )),
            ""
        );
    }

    #[test]
    fn a_virtual_method_leads_to_its_overrides() {
        let of = callees(
            "
//- A.cs
class Job { public virtual void Step() {} public void R$0un() { Step(); } }
class Copy : Job { public override void Step() {} }
class Dance { public void Step() {} }
",
        );
        assert_eq!(of, "dispatch Copy.Step, static Job.Step");
    }

    #[test]
    fn base_means_the_base() {
        let of = callees(
            "
//- A.cs
class Job { public virtual void Step() {} }
class Copy : Job { public override void St$0ep() { base.Step(); } }
class Move : Job { public override void Step() {} }
",
        );
        assert_eq!(of, "static Job.Step");
    }
}

mod go {
    use super::*;

    const STORES: &str = "
//- go.mod
module shop
//- store.go
package shop

type Store interface { Load(key string) string }

type Disk struct{}

func (d *Disk) Load(key string) string { return key }

type Memory struct{}

func (m Memory) Load(key string) string { return key }

type Truck struct{}

func (t Truck) Load(key string, weight int) string { return key }
";

    #[test]
    fn a_structural_interface_leads_to_what_has_its_methods() {
        let of = callees(&format!(
            "{STORES}\nfunc ma$0in(store Store) {{ store.Load(\"a\") }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.Load, dispatch Memory.Load, static Store.Load"
        );
    }

    #[test]
    fn callers_of_a_method_include_calls_through_the_interface() {
        let repository = format!("{STORES}\nfunc main(store Store) {{ store.Load(\"a\") }}\n");
        assert_eq!(
            callers(&repository.replacen("*Disk) Load", "*Disk) Lo$0ad", 1)),
            "dispatch main"
        );
    }

    #[test]
    fn another_signature_is_not_joined() {
        let repository = format!("{STORES}\nfunc main(store Store) {{ store.Load(\"a\") }}\n");
        assert_eq!(
            callers(&repository.replacen("Truck) Load", "Truck) Lo$0ad", 1)),
            ""
        );
    }

    #[test]
    fn an_interface_with_more_methods_is_not_satisfied() {
        let of = callees(
            "
//- a.go
package a

type Closer interface { Close(); Flush() }

type Door struct{}

func (d Door) Close() {}

type File struct{}

func (f File) Close() {}

func (f File) Flush() {}

func sh$0ut(closer Closer) { closer.Close() }
",
        );
        assert_eq!(of, "dispatch File.Close, static Closer.Close");
    }

    #[test]
    fn a_concrete_receiver_means_its_own_method() {
        let of = callees(&format!(
            "{STORES}\nfunc ma$0in(memory Memory) {{ memory.Load(\"a\") }}\n"
        ));
        assert_eq!(of, "static Memory.Load");
    }
}

mod rust {
    use super::*;

    const STORES: &str = "
//- src/lib.rs
trait Store { fn load(&self) -> u32; fn twice(&self) -> u32 { self.load() + self.load() } }
struct Disk;
impl Store for Disk { fn load(&self) -> u32 { 1 } }
struct Memory;
impl Store for Memory { fn load(&self) -> u32 { 2 } }
struct Truck;
impl Truck { fn load(&self) -> u32 { 3 } }
";

    #[test]
    fn a_call_through_a_trait_object_leads_to_the_impls() {
        let of = callees(&format!(
            "{STORES}fn ma$0in(store: &dyn Store) {{ store.load(); }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.load, dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn a_call_through_a_bound_leads_to_the_impls() {
        let of = callees(&format!(
            "{STORES}fn ma$0in<S: Store>(store: S) {{ store.load(); }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.load, dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn callers_of_an_impl_include_calls_through_the_trait() {
        let repository = format!("{STORES}fn main(store: &dyn Store) {{ store.load(); }}\n");
        let of = callers(&repository.replacen("for Disk { fn load", "for Disk { fn lo$0ad", 1));
        assert_eq!(of, "dispatch Store.twice, dispatch main");
    }

    #[test]
    fn an_inherent_method_is_not_joined() {
        let repository = format!("{STORES}fn main(store: &dyn Store) {{ store.load(); }}\n");
        assert_eq!(
            callers(&repository.replacen("impl Truck { fn load", "impl Truck { fn lo$0ad", 1)),
            ""
        );
    }

    #[test]
    fn a_concrete_receiver_means_its_own_impl() {
        let of = callees(&format!(
            "{STORES}fn ma$0in(disk: &Disk) {{ disk.load(); }}\n"
        ));
        assert_eq!(of, "static Disk.load");
    }
}

mod cpp {
    use super::*;

    const SHAPES: &str = "
//- shape.h
class Shape { public: virtual int area() = 0; virtual ~Shape() {} int twice() { return area() * 2; } };
class Circle : public Shape { public: int area() override { return 1; } };
class Square : public Shape { public: int area() override { return 2; } };
class Carpet { public: int area() { return 3; } };
";

    #[test]
    fn a_call_through_a_base_leads_to_the_overrides() {
        let of = callees(&format!(
            "{SHAPES}//- main.cc\n#include \"shape.h\"\nint ma$0in(Shape* shape) {{ return shape->area(); }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Circle.area, dispatch Square.area, static Shape.area"
        );
    }

    #[test]
    fn callers_of_an_override_include_calls_through_the_base() {
        let of = callers(&SHAPES.replacen(
            "Circle : public Shape { public: int area",
            "Circle : public Shape { public: int ar$0ea",
            1,
        ));
        assert_eq!(of, "dispatch Shape.twice");
    }

    #[test]
    fn a_class_of_its_own_is_not_joined() {
        let of = callers(&SHAPES.replacen(
            "Carpet { public: int area",
            "Carpet { public: int ar$0ea",
            1,
        ));
        assert_eq!(of, "");
    }

    #[test]
    fn a_concrete_receiver_means_its_own_member() {
        let of = callees(&format!(
            "{SHAPES}//- main.cc\n#include \"shape.h\"\nint ma$0in(Circle& circle) {{ return circle.area(); }}\n"
        ));
        assert_eq!(of, "static Circle.area");
    }

    #[test]
    fn another_overload_is_not_joined() {
        let of = callees(
            "
//- a.cc
class Sink { public: virtual void put(int n) {} virtual void put(int n, int m) {} };
class File : public Sink { public: void put(int n) override {} void put(int n, int m) override {} };
void wri$0te(Sink& sink) { sink.put(1); }
",
        );
        assert_eq!(of, "dispatch File.put, static Sink.put");
    }
}

mod c {
    use super::*;

    const TABLES: &str = "
//- ops.c
struct ops { int (*start)(void); int (*stop)(void); };
struct motor { int (*start)(void); };
static int disk_start(void) { return 1; }
static int disk_stop(void) { return 2; }
static int net_start(void) { return 3; }
static int motor_start(void) { return 4; }
static struct ops disk = { .start = disk_start, .stop = &disk_stop };
static struct motor engine = { .start = motor_start };
void set_up(struct ops *net) { net->start = net_start; }
int boot(struct ops *ops) { return ops->start(); }
int halt(struct ops *ops) { return ops->stop(); }
";

    #[test]
    fn a_call_through_a_table_leads_to_the_functions_in_it() {
        assert_eq!(
            callees(&TABLES.replacen("int boot(", "int bo$0ot(", 1)),
            "dispatch disk_start, dispatch net_start, static ops.start"
        );
    }

    #[test]
    fn an_address_in_a_table_is_the_function() {
        assert_eq!(
            callees(&TABLES.replacen("int halt(", "int ha$0lt(", 1)),
            "dispatch disk_stop, static ops.stop"
        );
    }

    #[test]
    fn callers_of_a_function_include_calls_through_its_table() {
        assert_eq!(
            callers(&TABLES.replacen("int disk_start(", "int disk_st$0art(", 1)),
            "dispatch boot"
        );
    }

    #[test]
    fn a_function_assigned_to_a_field_is_called_through_it() {
        assert_eq!(
            callers(&TABLES.replacen("int net_start(", "int net_st$0art(", 1)),
            "dispatch boot"
        );
    }

    #[test]
    fn a_field_of_another_struct_is_not_joined() {
        assert_eq!(
            callers(&TABLES.replacen("int motor_start(", "int motor_st$0art(", 1)),
            ""
        );
    }
}

mod php {
    use super::*;

    const STORES: &str = r"
//- Store.php
<?php
namespace Shop;
interface Store { public function load(string $key); }
class Disk implements Store { public function load(string $key) {} }
abstract class Cache implements Store { abstract public function load(string $key); public function warm() { $this->load('a'); } }
class Memory extends Cache { public function load(string $key) {} }
class Truck { public function load(string $key) {} }
";

    #[test]
    fn a_call_through_an_interface_leads_to_the_implementations() {
        let of = callees(&format!(
            "{STORES}//- Main.php\n<?php\nnamespace Shop;\nfunction ma$0in(Store $store) {{ $store->load('a'); }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Cache.load, dispatch Disk.load, dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn callers_of_an_implementation_include_calls_through_the_interface() {
        let repository = format!(
            "{STORES}//- Main.php\n<?php\nnamespace Shop;\nfunction main(Store $store) {{ $store->load('a'); }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "class Disk implements Store { public function load",
                "class Disk implements Store { public function lo$0ad",
                1
            )),
            "dispatch main"
        );
    }

    #[test]
    fn an_abstract_method_leads_to_its_bodies() {
        assert_eq!(
            callees(&STORES.replacen("function warm", "function wa$0rm", 1)),
            "dispatch Memory.load, static Cache.load"
        );
    }

    #[test]
    fn a_class_without_the_interface_is_not_joined() {
        let repository = format!(
            "{STORES}//- Main.php\n<?php\nnamespace Shop;\nfunction main(Store $store) {{ $store->load('a'); }}\n"
        );
        assert_eq!(
            callers(&repository.replacen(
                "class Truck { public function load",
                "class Truck { public function lo$0ad",
                1
            )),
            ""
        );
    }

    #[test]
    fn parent_means_the_base() {
        let of = callees(
            r"
//- A.php
<?php
class Base { public function run() {} }
class Left extends Base { public function r$0un() { parent::run(); } }
class Right extends Base { public function run() {} }
",
        );
        assert_eq!(of, "static Base.run");
    }
}

mod kotlin {
    use super::*;

    const STORES: &str = "
//- Store.kt
package shop
interface Store { fun load(key: String): String }
class Disk : Store { override fun load(key: String) = key }
abstract class Cache : Store { fun warm() { load(\"a\") } }
class Memory : Cache() { override fun load(key: String) = key }
class Truck { fun load(key: String) = key }
";

    #[test]
    fn a_call_through_an_interface_leads_to_the_implementations() {
        let of = callees(&format!(
            "{STORES}//- Main.kt\npackage shop\nfun ma$0in(store: Store) {{ store.load(\"a\") }}\n"
        ));
        assert_eq!(
            of,
            "dispatch Disk.load, dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn callers_of_an_implementation_include_calls_through_the_interface() {
        let repository = format!(
            "{STORES}//- Main.kt\npackage shop\nfun main(store: Store) {{ store.load(\"a\") }}\n"
        );
        let of = callers(&repository.replacen(
            "class Disk : Store { override fun load",
            "class Disk : Store { override fun lo$0ad",
            1,
        ));
        assert_eq!(of, "dispatch main");
    }

    #[test]
    fn a_bare_call_in_an_abstract_class_leads_to_its_subclasses_alone() {
        assert_eq!(
            callees(&STORES.replacen("fun warm", "fun wa$0rm", 1)),
            "dispatch Memory.load, static Store.load"
        );
    }

    #[test]
    fn a_class_without_the_interface_is_not_joined() {
        let repository = format!(
            "{STORES}//- Main.kt\npackage shop\nfun main(store: Store) {{ store.load(\"a\") }}\n"
        );
        assert_eq!(
            callers(&repository.replacen("class Truck { fun load", "class Truck { fun lo$0ad", 1)),
            ""
        );
    }

    #[test]
    fn a_java_interface_leads_to_a_kotlin_class() {
        let of = callees(
            "
//- p/Task.java
package p;
public interface Task { void execute(); }
//- p/Copy.kt
package p
class Copy : Task { override fun execute() {} }
//- p/Runner.java
package p;
class Runner { void r$0un(Task task) { task.execute(); } }
",
        );
        assert_eq!(of, "dispatch Copy.execute, static Task.execute");
    }
}

mod ruby {
    use super::*;

    const JOBS: &str = "
//- jobs.rb
class Job
  def step; end
  def run
    step
  end
end
class Copy < Job
  def step; end
end
class Move < Copy
  def step
    super
  end
end
class Dance
  def step; end
end
module Loud
  def shout
    voice
  end
  def voice; end
end
class Bell
  include Loud
  def voice; end
end
";

    #[test]
    fn a_template_method_leads_to_the_overrides() {
        assert_eq!(
            callees(&JOBS.replacen("def run", "def r$0un", 1)),
            "dispatch Copy.step, dispatch Move.step, static Job.step"
        );
    }

    #[test]
    fn callers_of_an_override_include_the_template_method() {
        assert_eq!(
            callers(&JOBS.replacen(
                "class Copy < Job\n  def step",
                "class Copy < Job\n  def st$0ep",
                1
            )),
            "dispatch Job.run, static Move.step"
        );
    }

    #[test]
    fn super_means_the_base() {
        assert_eq!(
            callees(&JOBS.replacen(
                "class Move < Copy\n  def step",
                "class Move < Copy\n  def st$0ep",
                1
            )),
            "static Copy.step"
        );
    }

    #[test]
    fn a_class_of_its_own_is_not_joined() {
        assert_eq!(
            callers(&JOBS.replacen("class Dance\n  def step", "class Dance\n  def st$0ep", 1)),
            ""
        );
    }

    #[test]
    fn a_mixed_in_method_leads_to_the_class_that_mixes_it_in() {
        assert_eq!(
            callees(&JOBS.replacen("def shout", "def sho$0ut", 1)),
            "dispatch Bell.voice, static Loud.voice"
        );
    }
}
