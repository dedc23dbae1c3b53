package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// module is the path of the library's module.
const module = "github.com/outrank-go/outrank"

// recorder is the source of a package that logs calls from the beginning of a decision to its end. Each
// decision begins the log anew. It works for one goroutine, as in a benchmark on one processor.
const recorder = `package waytrace

import (
	"bytes"
	"os"
)

var (
	on  bool
	log bytes.Buffer
)

func Call(at string) {
	if on {
		log.WriteString(at + "\n")
	}
}

func Begin(at string) func() {
	if on {
		Call(at)
		return func() {}
	}
	on = true
	log.Reset()
	Call(at)
	return func() {
		on = false
		os.WriteFile(os.Getenv("OUTRANK_WAY"), log.Bytes(), 0o644)
	}
}
`

// instrument inserts a logging call into every function that may take part in a decision. A call of the
// method begins a decision.
func instrument(dir, method string) error {
	if err := os.MkdirAll(filepath.Join(dir, "internal", "waytrace"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "internal", "waytrace", "waytrace.go"), []byte(recorder), 0o644); err != nil {
		return err
	}

	begun := false
	for _, root := range []string{"preemption", "internal", "pdb", "priority", "qos"} {
		err := filepath.WalkDir(filepath.Join(dir, root), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") || strings.Contains(path, "waytrace") {
				return err
			}

			rel, _ := filepath.Rel(dir, path)
			begins, err := noteCalls(path, rel, method)
			begun = begun || begins
			return err
		})
		if err != nil {
			return err
		}
	}

	if !begun {
		return fmt.Errorf("there is no method %s", method)
	}
	return nil
}

// noteCalls inserts the logging calls into one file. It reports whether the method is in it.
func noteCalls(path, rel, method string) (begins bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		return false, err
	}

	type insertion struct {
		at   int
		text string
	}
	var insertions []insertion
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "init" {
			continue
		}
		name := nameOf(f)

		lines := fset.Position(f.End()).Line - fset.Position(f.Type.Pos()).Line + 1
		at := fmt.Sprintf("%s\t%s\t%d", rel, name, lines)
		text := fmt.Sprintf("waytrace.Call(%q);", at)
		if name == method {
			begins = true
			text = fmt.Sprintf("defer waytrace.Begin(%q)();", at)
		}
		insertions = append(insertions, insertion{fset.Position(f.Body.Lbrace).Offset + 1, text})
	}
	if len(insertions) == 0 {
		return false, nil
	}

	// Everything is inserted without a line break, so that no line gets another number.
	insertions = append(insertions, insertion{fset.Position(file.Name.End()).Offset, fmt.Sprintf(";import %q", module+"/internal/waytrace")})
	sort.Slice(insertions, func(i, j int) bool { return insertions[i].at < insertions[j].at })

	var out bytes.Buffer
	from := 0
	for _, i := range insertions {
		out.Write(src[from:i.at])
		out.WriteString(i.text)
		from = i.at
	}
	out.Write(src[from:])
	return begins, os.WriteFile(path, out.Bytes(), 0o644)
}

// nameOf returns the name of a function. The name of a method begins with that of its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// packageOf returns the package whose tests declare the benchmark.
func packageOf(dir string, q question) (string, error) {
	name := regexp.MustCompile(`Benchmark\w+`).FindString(q.benchmark)
	for _, pkg := range []string{"preemption/engine", "preemption"} {
		files, err := filepath.Glob(filepath.Join(dir, pkg, "*_test.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			if bytes.Contains(text, []byte("func "+name+"(")) {
				return pkg, nil
			}
		}
	}
	return "", fmt.Errorf("there is no %s", name)
}

// checkOut writes the files of a commit to a folder. Without a commit it copies the working tree, with new
// files that git does not ignore.
func checkOut(commit, dir string) error {
	if commit != "" {
		archive := filepath.Join(dir, "source.tar")
		if _, err := output(".", nil, "git", "archive", "-o", archive, commit); err != nil {
			return err
		}
		_, err := output(dir, nil, "tar", "-xf", archive)
		return err
	}

	tracked, err := output(".", nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.Lines(tracked) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // the file was deleted, which is not committed yet
		}
		if err != nil {
			return err
		}

		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// output runs a program in a folder, with additions to its environment, and returns its standard output.
func output(dir string, env []string, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, errs.String(), out.String())
	}
	return out.String(), nil
}
