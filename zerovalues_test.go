package outrank_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
)

// mayPanic are the functions that are documented to panic.
var mayPanic = []string{module + "/resource.MustList", module + "/resource.MustParse"}

// Nothing that the library exports panics on the zero value of a type, on nil, or on
// values made of these: it works, or its error names the object and its problem.
func TestPropertyNothingPanics(t *testing.T) {
	for _, f := range everyFunction {
		if v := reflect.ValueOf(f); !slices.Contains(mayPanic, functionName(f)) {
			t.Run(functionName(f), rapid.MakeCheck(func(t *rapid.T) {
				d := drawer{t}
				assert.Empty(t, complaint(v, d.arguments(v.Type())))
			}))
		}
	}
	for _, p := range everyType {
		typ := reflect.TypeOf(p)
		if typ.Elem().Kind() == reflect.Interface {
			continue
		}
		for i := range typ.NumMethod() {
			t.Run(qualifiedName(p)+"."+typ.Method(i).Name, rapid.MakeCheck(func(t *rapid.T) {
				d := drawer{t}
				method := d.receiver(typ).Method(i)
				text := complaint(method, d.arguments(method.Type()))
				if typ.Method(i).Name != "Err" || strings.HasPrefix(text, "panics") { // what a plan says, not what is wrong with it
					assert.Empty(t, text)
				}
			}))
		}
	}
}

// A method that can return an error returns one for nil. One that takes a value, or is that
// of an embedded type, has no say in that, because Go reads through the pointer first.
func TestPropertyNilReceivers(t *testing.T) {
	for _, p := range everyType {
		typ := reflect.TypeOf(p)
		if typ.Elem().Kind() == reflect.Interface {
			continue
		}
		for i := range typ.NumMethod() {
			name := typ.Method(i).Name
			out := typ.Method(i).Type
			_, value := typ.Elem().MethodByName(name)
			if value || promoted(typ.Elem(), name) || out.NumOut() == 0 || out.Out(out.NumOut()-1) != reflect.TypeFor[error]() {
				continue
			}
			t.Run(qualifiedName(p)+"."+name, rapid.MakeCheck(func(t *rapid.T) {
				method := reflect.Zero(typ).Method(i)
				assert.Empty(t, complaint(method, drawer{t}.arguments(method.Type())))
			}))
		}
	}
}

// promoted reports whether a method is that of an embedded type.
func promoted(typ reflect.Type, method string) bool {
	return typ.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
		_, has := reflect.PointerTo(f.Type).MethodByName(method)
		return f.Anonymous && has
	})
}

func functionName(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

func qualifiedName(p any) string {
	typ := reflect.TypeOf(p).Elem()
	name, _, _ := strings.Cut(typ.Name(), "[") // without type arguments
	return typ.PkgPath() + "." + name
}

// complaint calls a function and returns how it ended wrongly, empty if it did
// not. It calls a function that is returned with zero values.
func complaint(f reflect.Value, args []reflect.Value) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("panics: %v\n%s", p, debug.Stack())
		}
	}()
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	for _, r := range call(args) {
		if err, ok := r.Interface().(error); ok {
			text += fault(err)
		}
		if r.Kind() == reflect.Func && !r.IsNil() {
			text += complaint(r, zeros(r.Type()))
		}
	}
	return text
}

// zeros returns zero arguments for a function. An iterator gets a function that
// asks for more.
func zeros(f reflect.Type) []reflect.Value {
	var args []reflect.Value
	for i := range f.NumIn() {
		arg := reflect.Zero(f.In(i))
		if typ := f.In(i); typ.Kind() == reflect.Func && typ.NumOut() == 1 && typ.Out(0).Kind() == reflect.Bool {
			arg = reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true).Convert(typ.Out(0))}
			})
		}
		args = append(args, arg)
	}
	return args
}

// nameless matches a message that names an object by nothing.
var nameless = regexp.MustCompile(`(pod|node|group|namespace)s?( ""| ):|<nil>|%!`)

// fault returns the problem of an error, empty for none.
func fault(err error) string {
	var invalid *outrank.InputError
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			if p.Object == "" || p.Text == "" {
				return fmt.Sprintf("the problem %+v has no object or no text", p)
			}
		}
	}
	if nameless.MatchString(err.Error()) {
		return fmt.Sprintf("the error names nothing: %v", err)
	}
	for _, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			return ""
		}
	}
	var broken *filtertest.Error // the problem of a filter, whose message has its rule and the calls
	if errors.As(err, &broken) {
		return ""
	}
	return fmt.Sprintf("the error wraps no error of the library: %v", err)
}

// The tables have every exported function, type and error of the public packages.
func TestTheTablesAreComplete(t *testing.T) {
	functions, types, errs := exported(t)
	var have []string
	for _, f := range everyFunction {
		have = append(have, functionName(f))
	}
	assert.ElementsMatch(t, functions, have)
	have = nil
	for _, p := range everyType {
		have = append(have, qualifiedName(p))
	}
	assert.ElementsMatch(t, types, have)
	have = nil
	for name := range sentinels {
		if path, ok := strings.CutPrefix(name, "library "); ok {
			have = append(have, path)
		}
	}
	assert.ElementsMatch(t, errs, have)
}

// exported lists what the public packages export, by import path and name. Errors go by the
// name of their package.
func exported(t *testing.T) (functions, types, errs []string) {
	t.Helper()
	for _, p := range packages(t) {
		room := roomOf(p.ImportPath)
		if strings.HasPrefix(room, "internal/") || strings.Contains(room, "/internal/") || strings.HasPrefix(room, "examples/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, name := range functionsOf(tree) {
				functions = append(functions, p.ImportPath+"."+name)
			}
			named, wrong := namesOf(tree)
			for _, name := range named {
				types = append(types, p.ImportPath+"."+name)
			}
			types = append(types, namesFor(tree, p.ImportPath+"/internal/")...)
			for _, name := range wrong {
				errs = append(errs, tree.Name.Name+"."+name)
			}
		}
	}
	return functions, types, errs
}

func functionsOf(tree *ast.File) (names []string) {
	for _, decl := range tree.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// namesFor lists the types of internal packages below a path that have a name here.
func namesFor(tree *ast.File, below string) (types []string) {
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() {
			return true
		}
		of, ok := spec.Type.(*ast.SelectorExpr)
		for _, imported := range tree.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			if ok && strings.HasPrefix(path, below) && strings.HasSuffix(path, "/"+of.X.(*ast.Ident).Name) {
				types = append(types, path+"."+of.Sel.Name)
			}
		}
		return true
	})
	return types
}

// namesOf lists the types, and the variables whose names are those of errors.
func namesOf(tree *ast.File) (types, errs []string) {
	for _, decl := range tree.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && !s.Assign.IsValid() { // an alias is seen where its type is
					types = append(types, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if group.Tok == token.VAR && strings.HasPrefix(name.Name, "Err") {
						errs = append(errs, name.Name)
					}
				}
			}
		}
	}
	return types, errs
}
