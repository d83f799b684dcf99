//! Frameworks by example: small programs and what they offer. Look-alikes stand beside the real thing and must not be taken for it.

use engine::{
    Analysis,
    query::surfaces::{SurfaceKind, surfaces_of},
};
use expect_test::{Expect, expect};

#[test]
fn aspnet_controllers() {
    check(
        r#"
//- Controllers/OrdersController.cs
using Microsoft.AspNetCore.Mvc;
[ApiController]
[Route("api/[controller]")]
public class OrdersController : ControllerBase {
    [HttpGet("{id:int}")] public string Get(int id) => "";
    [HttpPost] public void Create() { }
    [HttpGet("~/absolute")] public void Absolute() { }
    [HttpDelete, Route("gone/[action]")] public void Remove() { }
    [NonAction] public void Helper() { }
}
//- Controllers/Base.cs
using Microsoft.AspNetCore.Mvc;
[Route("inherited/[controller]/[action]")]
public abstract class Base : ControllerBase { }
public class ItemsController : Base { [HttpPut] public void Change() { } }
//- Helpers/Mapper.cs
public class Mapper { public void HttpGet(string path) { } public void Use() { HttpGet("/no"); } }
"#,
        expect![[r#"
            route GET /absolute  Absolute
            route POST /api/Orders  Create
            route DELETE /api/Orders/gone/Remove  Remove
            route GET /api/Orders/{id:int}  Get
            route PUT /inherited/Items/Change  Change
        "#]],
    );
}

#[test]
fn minimal_apis_with_groups_across_files() {
    check(
        r#"
//- Program.cs
using Microsoft.AspNetCore.Builder;
var builder = WebApplication.CreateBuilder(args);
var app = builder.Build();
app.MapGet("/health", () => "ok");
var api = app.MapGroup("/api");
api.MapPost("/orders", Create);
app.MapGroup("/v1").MapItems();
static string Create() => "";
//- Items.cs
using Microsoft.AspNetCore.Routing;
public static class Items {
    public static void MapItems(this IEndpointRouteBuilder routes) {
        routes.MapGet("/items/{id}", (int id) => id);
    }
}
"#,
        expect![[r#"
            route POST /api/orders  Create
            route GET /health
            route GET /v1/items/{id}  MapItems
        "#]],
    );
}

#[test]
fn express_routers_are_mounted_across_files() {
    check(
        r#"
//- app.js
const express = require('express')
const users = require('./users')
const app = express()
app.use('/api', users)
app.get('/', (req, res) => res.send('x'))
app.get('title')
const cache = new Map()
cache.get('/not-a-route')
//- users.js
const { Router } = require('express')
const router = Router()
router.get('/users/:id', show)
router.route('/users').get(list).post(add)
function show() {}
function list() {}
function add() {}
module.exports = router
"#,
        expect![[r#"
            route GET /
            route GET /api/users  list
            route POST /api/users  add
            route GET /api/users/:id  show
        "#]],
    );
}

#[test]
fn flask_blueprints_and_environment() {
    check(
        r#"
//- app.py
import os
from flask import Flask
from api import bp
app = Flask(__name__)
app.register_blueprint(bp, url_prefix='/api')
key = os.environ.get('SECRET_KEY')
other = os.environ['OTHER']
plain = {}.get('NOT_A_KEY')
@app.route('/', methods=['GET', 'POST'])
def index(): ...
//- api.py
from flask import Blueprint
bp = Blueprint('api', __name__)
@bp.route('/posts/<int:id>')
def post(id): ...
"#,
        expect![[r#"
            route GET /  index
            route POST /  index
            route GET /api/posts/<int:id>  post
            config environment OTHER
            config environment SECRET_KEY
        "#]],
    );
}

#[test]
fn nest_controllers_and_entities() {
    check(
        r#"
//- main.ts
import { NestFactory } from '@nestjs/core';
async function run() { const app = await NestFactory.create(Module); app.setGlobalPrefix('api'); }
//- cats.ts
import { Controller, Get, Post } from '@nestjs/common';
@Controller('cats')
export class Cats {
  @Get(':id') find() {}
  @Post() create() {}
  plain() {}
}
//- cat.entity.ts
import { Entity } from 'typeorm';
@Entity('cat') export class CatEntity {}
@Entity() export class DogHouse {}
"#,
        expect![[r#"
            route POST /api/cats  create
            route GET /api/cats/:id  find
            db_table @Entity cat  CatEntity
            db_table @Entity dog_house  DogHouse
        "#]],
    );
}

#[test]
fn entity_framework_tables() {
    check(
        r#"
//- Shop.cs
using Microsoft.EntityFrameworkCore;
public class Order { }
[Table("lines", Schema = "shop")] public class Line { }
public class Note { }
public class ShopContext : DbContext {
    public DbSet<Order> Orders { get; set; }
    public DbSet<Line> Lines { get; set; }
    public List<Note> Notes { get; set; }
    protected override void OnModelCreating(ModelBuilder model) {
        model.Entity<Order>().ToTable("order_table");
    }
}
"#,
        expect![[r#"
            db_table [Table] lines  Lines
            db_table ToTable order_table  Orders
        "#]],
    );
}

#[test]
fn configuration_sections_are_joined() {
    check(
        r#"
//- Startup.cs
using Microsoft.Extensions.Configuration;
public class Startup {
    public Startup(IConfiguration configuration) {
        var host = configuration["Smtp:Host"];
        var port = configuration.GetSection("Smtp").GetValue<int>("Port");
        var db = configuration.GetConnectionString("Main");
        var dynamic = configuration.GetValue<string>(Name());
    }
}
"#,
        expect![[r#"
            config GetConnectionString ConnectionStrings:Main  Startup
            config GetSection Smtp  Startup
            config IConfiguration indexer Smtp:Host  Startup
            config GetValue Smtp:Port  Startup
            not understood: 1
        "#]],
    );
}

#[track_caller]
fn check(repository: &str, expected: Expect) {
    let snapshot = fixture::repository(repository).snapshot;
    let analysis = Analysis::new(snapshot.clone());
    let found = surfaces_of(&analysis);
    let mut out = String::new();
    for fact in &found.facts {
        let kind = match fact.kind {
            SurfaceKind::Route => "route",
            SurfaceKind::Config => "config",
            SurfaceKind::DbTable => "db_table",
            SurfaceKind::DiRegistration => "di_registration",
            SurfaceKind::Middleware => "middleware",
            SurfaceKind::RetryPolicy => "retry_policy",
        };
        let name = fact.symbol.and_then(|symbol| {
            let facts = snapshot.corpus().facts(snapshot.file(symbol.file).content)?;
            Some(facts.name(facts.symbol(symbol.index).name).to_owned())
        });
        out.push_str(format!("{kind} {} {}  {}", fact.detail, fact.value, name.unwrap_or_default()).trim_end());
        out.push('\n');
    }
    let unread: usize = found.coverage.values().map(|coverage| coverage.not_understood.len()).sum();
    if unread > 0 {
        out.push_str(&format!("not understood: {unread}\n"));
    }
    expected.assert_eq(&out);
}
