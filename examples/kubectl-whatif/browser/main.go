// Command browser makes the page that runs kubectl-whatif in a browser: a folder of files that any file server
// can serve and the browser itself can open.
//
//	go run -C examples/kubectl-whatif ./browser -out page
//
// The page runs the program itself, compiled to WebAssembly, with the arguments that are typed and the files
// that are opened there, so that its answers are those of the program. Its content security policy lets it
// fetch nothing.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
)

var (
	//go:embed index.html.tmpl
	index string
	//go:embed page.js
	pageScript []byte
	//go:embed worker.js
	workerScript []byte
	//go:embed style.css
	style []byte
)

func main() {
	program := flag.String("program", "", "kubectl-whatif, built for js/wasm, a `FILE` (default: it is built)")
	version := flag.String("version", stamp.Here().Version, "the `VERSION` that the page says")
	out := flag.String("out", "page", "the `FOLDER` for the page")
	flag.Parse()
	if err := write(*out, *program, *version); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// write writes the page into a folder. It builds the program first if its name is empty.
func write(out, program, version string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}

	// Without a ready program one is built, in a folder that is removed again.
	if program == "" {
		dir, err := os.MkdirTemp("", "browser")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "whatif.wasm")
		if err := build(program); err != nil {
			return err
		}
	}

	files, err := pageOf(program, version)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// build builds kubectl-whatif for a browser.
func build(to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "github.com/outrank-go/outrank/examples/kubectl-whatif")
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOOS=js", "GOARCH=wasm"), os.Stderr
	return cmd.Run()
}

// pageOf returns the files of the page by name.
func pageOf(program, version string) (map[string][]byte, error) {
	script, err := programScript(program)
	if err != nil {
		return nil, err
	}

	questions, err := offeredBy("README.md")
	if err != nil {
		return nil, err
	}
	t, err := template.New("").Parse(index)
	if err != nil {
		return nil, err
	}

	var html bytes.Buffer
	styles, scripts := page.Sources()
	if err := t.Execute(&html, map[string]any{
		"Style": styles, "Script": scripts, "Version": version, "Offered": questions, "Command": live.Cluster{}.Command(),
	}); err != nil {
		return nil, err
	}

	return map[string][]byte{
		"index.html": html.Bytes(), "style.css": style, "page.js": pageScript, "worker.js": workerScript, "program.js": script,
	}, nil
}

// named are the files that the questions of the README name. The page includes them.
var named = []string{
	"sample/cluster.json", "sample/deployment.yaml", "sample/kueue.json", "sample/kueue-job.yaml", "sample/kueue-config.yaml",
}

// programScript returns a script with the program, the code that starts it, and the sample's files. It has to
// be a script because a page that is opened from a disk may read nothing else.
func programScript(program string) ([]byte, error) {
	packed, err := packedProgram(program)
	if err != nil {
		return nil, err
	}

	// The code that starts a program in a browser comes with the Go release that has built the program.
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	executor, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}

	files := map[string]string{}
	for _, name := range named {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	texts, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}

	var out bytes.Buffer
	fmt.Fprintf(&out, "globalThis.whatif = {\n  executor: function () {\n%s\n},\n  files: %s,\n  program: %q,\n};\n",
		executor, texts, base64.StdEncoding.EncodeToString(packed))
	return out.Bytes(), nil
}

// packedProgram reads the program and compresses it.
func packedProgram(program string) ([]byte, error) {
	wasm, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// question is a question that the page offers: its text, and the command line that asks it.
type question struct{ Says, Line string }

// offered has the questions of a page: those of the README's first table, and two lists that unfold, with the
// questions after a change and with the samples.
type offered struct {
	Questions []question
	Lists     []questionList
}

// questionList is a list of questions that unfolds.
type questionList struct {
	Title     string
	Questions []question
}

// all returns the questions in the order of the page.
func (o *offered) all() []question {
	list := o.Questions
	for _, l := range o.Lists {
		list = slices.Concat(list, l.Questions)
	}
	return list
}

// asks matches a row of the README's table of questions, and combines a row of its table of changes.
var (
	asks     = regexp.MustCompile("(?m)^\\| (.*\\?.*) \\| `(kubectl whatif .*)` \\|$")
	combines = regexp.MustCompile("(?m)^\\| ([^|?`]+) \\| ([^|?`]+) \\| `(kubectl whatif .*)` \\|$")
)

// offeredBy returns the questions of the tables in a README, and one question for each sample.
func offeredBy(file string) (*offered, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}

	o := &offered{}
	for _, m := range asks.FindAllStringSubmatch(string(text), -1) {
		o.Questions = append(o.Questions, question{m[1], m[2]})
	}

	after := questionList{Title: "After a change"}
	for _, m := range combines.FindAllStringSubmatch(string(text), -1) {
		after.Questions = append(after.Questions, question{m[1] + ": " + m[2], m[3]})
	}
	if len(o.Questions) == 0 || len(after.Questions) == 0 {
		return nil, fmt.Errorf("%s lacks a table of questions or one of changes", file)
	}

	learn := questionList{Title: "To learn from"}
	for _, s := range samples.All() {
		learn.Questions = append(learn.Questions, question{s.Line, "kubectl whatif --sample " + s.Name})
	}
	o.Lists = []questionList{after, learn}
	return o, nil
}
