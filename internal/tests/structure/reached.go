package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Reached is the set of functions and variables that some functions reach through calls.
type Reached struct {
	// from has the function or variable that first mentioned each one that is reached; nil for a root.
	from  map[*Unit]*Unit
	named map[string]*Unit
}

// Reach follows the calls from some functions, named as in [Unit].
func (c *Calls) Reach(roots ...string) (*Reached, error) {
	w := reachingWalk{of: c, info: c.info, from: map[*Unit]*Unit{}, live: map[*types.TypeName]bool{}, asked: map[string]*Unit{}}
	for _, name := range roots {
		u := c.named[name]
		if u == nil {
			return nil, fmt.Errorf("there is no %s to begin with", name)
		}
		w.reach(u, nil)
	}
	w.follow()
	return &Reached{from: w.from, named: c.named}, nil
}

// Has reports whether the function or variable with this name is reached.
func (r *Reached) Has(name string) bool {
	_, ok := r.from[r.named[name]]
	return ok && r.named[name] != nil
}

// Units lists everything that is reached, sorted by name.
func (r *Reached) Units() []*Unit {
	return slices.SortedFunc(maps.Keys(r.from), func(a, b *Unit) int { return cmp.Compare(a.Name, b.Name) })
}

// From returns the function or variable that first mentioned u, or nil for a root.
func (r *Reached) From(u *Unit) *Unit { return r.from[u] }

// Way lists the calls by which a function is reached, from a root to the function itself.
func (r *Reached) Way(name string) (way []string) {
	for u := r.named[name]; u != nil; u = r.from[u] {
		way = append(way, u.Name)
	}
	slices.Reverse(way)
	return way
}

// reachingWalk follows calls until it reaches nothing new.
type reachingWalk struct {
	of   *Calls
	info *types.Info
	from map[*Unit]*Unit
	todo []*Unit
	// live has the types of which reached functions have values. asked has the names of the methods that they
	// call through interfaces, each with the function in which the call was first seen.
	live  map[*types.TypeName]bool
	asked map[string]*Unit
}

// reach adds a function or variable that from mentions, and the init functions of its package. It ignores nil.
func (w *reachingWalk) reach(u, from *Unit) {
	if _, ok := w.from[u]; ok || u == nil {
		return
	}
	w.from[u] = from
	w.todo = append(w.todo, u)
	for _, i := range w.of.inits[u.of] {
		w.reach(i, u)
	}
}

// follow goes through the source of everything that is reached. A type may be seen before or after a call of
// its method through an interface, so after each round all live types are matched with all such calls.
func (w *reachingWalk) follow() {
	for len(w.todo) > 0 {
		for len(w.todo) > 0 {
			u := w.todo[0]
			w.todo = w.todo[1:]
			for _, n := range u.nodes {
				w.look(u, n)
			}
		}
		for _, t := range slices.SortedFunc(maps.Keys(w.live), func(a, b *types.TypeName) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
			w.answer(t)
		}
	}
}

// answer reaches the methods of a type whose names are called through interfaces.
func (w *reachingWalk) answer(t *types.TypeName) {
	for m := range types.NewMethodSet(types.NewPointer(t.Type())).Methods() {
		if from, ok := w.asked[m.Obj().Name()]; ok {
			w.reach(w.of.units[m.Obj().(*types.Func).Origin()], from)
		}
	}
}

// look records everything that a declaration mentions.
func (w *reachingWalk) look(u *Unit, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			w.mention(u, w.info.Uses[n])
		case *ast.CallExpr:
			w.hand(u, n)
		}
		if e, ok := n.(ast.Expr); ok {
			w.value(w.info.Types[e].Type)
		}
		return true
	})
}

// mention records that u mentions an object. A method of an interface stands for all methods of its name.
func (w *reachingWalk) mention(u *Unit, o types.Object) {
	switch o := o.(type) {
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			w.ask(u, o.Name())
			return
		}
		w.reach(w.of.units[o.Origin()], u)
	case *types.Var:
		w.reach(w.of.units[o.Origin()], u)
	}
}

// ask records that u calls a method of this name through an interface.
func (w *reachingWalk) ask(u *Unit, method string) {
	if _, ok := w.asked[method]; !ok {
		w.asked[method] = u
	}
}

// value records that a function has a value of a type, if the type is one of the module.
func (w *reachingWalk) value(t types.Type) {
	if named := namedOf(t); named != nil && w.of.loaded[pathOf(named)] != nil && !types.IsInterface(named) {
		w.live[named.Obj()] = true
	}
}

// hand records the methods that a call may lead to by handing over values. The methods of an interface
// parameter may be called, unless the called function is in the module, because then its own source says
// which. Beyond that, some functions look for methods in values of any type.
func (w *reachingWalk) hand(u *Unit, call *ast.CallExpr) {
	t := w.info.Types[call.Fun].Type
	if t == nil {
		return
	}
	f, ok := t.Underlying().(*types.Signature)
	if !ok {
		return
	}

	asked, own := w.askedOfAny(call.Fun)
	for i, arg := range call.Args {
		to, ok := parameter(f, i).Underlying().(*types.Interface)
		given := w.info.Types[arg].Type
		if !ok || given == nil {
			continue
		}

		for m := range to.Methods() {
			if !own {
				w.ask(u, m.Name())
			}
		}

		for _, t := range parts(given) {
			for _, name := range asked {
				if m, _, _ := types.LookupFieldOrMethod(t, true, nil, name); m != nil {
					w.mention(u, m)
				}
			}
		}
	}
}

// askedOfAny returns the methods that a function may look for in a value of any type: those that turn it into
// text or tell one error from another; for packages below encoding, those that marshal it. It also reports
// whether the function is in the module.
func (w *reachingWalk) askedOfAny(called ast.Expr) (methods []string, own bool) {
	methods = []string{"String", "Error", "Is", "As", "Unwrap"}
	var name *ast.Ident
	switch called := ast.Unparen(called).(type) {
	case *ast.Ident:
		name = called
	case *ast.SelectorExpr:
		name = called.Sel
	}
	f, ok := w.info.Uses[name].(*types.Func)
	if !ok || f.Pkg() == nil {
		return methods, false
	}
	if strings.HasPrefix(f.Pkg().Path(), "encoding/") {
		methods = []string{"MarshalJSON", "MarshalText"}
	}
	return methods, w.of.loaded[f.Pkg().Path()] != nil
}

// parameter returns the type of the parameter that takes the argument with index i.
func parameter(f *types.Signature, i int) types.Type {
	last := f.Params().Len() - 1
	if !f.Variadic() || i < last {
		return f.Params().At(min(i, last)).Type()
	}
	all := f.Params().At(last).Type()
	if s, ok := all.Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return all
}

// parts returns a type and, for a list or a map, the types of its elements and keys.
func parts(t types.Type) []types.Type {
	all := []types.Type{t}
	if m, ok := t.Underlying().(*types.Map); ok {
		all = append(all, parts(m.Key())...)
	}
	if of, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		all = append(all, of.Elem())
	}
	return all
}

// namedOf returns the named type of a value or of a pointer to one, in its generic form. It is nil for any
// other type.
func namedOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin()
	}
	return nil
}

func pathOf(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path()
}
