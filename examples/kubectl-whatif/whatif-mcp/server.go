package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/outrank-go/outrank/examples/internal/stamp"
)

// server answers questions by running kubectl-whatif.
type server struct {
	program string
	// cluster, live and context name the cluster of questions that name none. If all are empty, it is the
	// sample.
	cluster, context string
	live             bool
	// files is the folder whose files questions may name. If it is empty they may name none.
	files string
	// most is the most bytes of an answer, and patience the longest time that an answer may take.
	most     int
	patience time.Duration
	// turn is held while a question is answered. Only one is answered at a time, which bounds the memory.
	turn chan struct{}
}

// instructions tell an agent what the tools are for.
const instructions = `Answers before anybody acts what preemption would do to a Kubernetes cluster: which pods have to leave so that
another can run, and why, by the rules of kube-scheduler and kubelet. Nothing is changed anywhere. Every tool asks about the cluster that the
server was started for, unless the question brings a dump (the output of "kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,quota -A -o json") or
names a sample. Begin with report, or with pod about a pending pod.`

// serve makes the MCP server with its tools.
func (s *server) serve() *mcp.Server {
	s.turn = make(chan struct{}, 1)
	out := mcp.NewServer(&mcp.Implementation{Name: "whatif-mcp", Title: "What would preemption do?", Version: stamp.Here().Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addTools(out, s)
	return out
}

// asker is the input of a tool.
type asker interface {
	// arguments adds the command line of the question.
	arguments(q *query) error
}

// query is a question on its way to the program.
type query struct {
	server *server
	args   []string
	// input is what the program reads from standard input. It is nil for nothing.
	input io.ReadCloser
	// dir is a folder for texts that the program reads as files. The program runs in it, so that answers
	// contain the same file names each time. texts counts the files.
	dir   string
	texts int
}

// flag adds a flag, unless its value is empty. Name and value share one argument, so that no value can become a
// flag of its own.
func (q *query) flag(name, value string) {
	if value != "" {
		q.args = append(q.args, "--"+name+"="+value)
	}
}

// text adds a flag whose value is a file with this text.
func (q *query) text(name, text string) error {
	q.texts++
	file := fmt.Sprintf("text-%d", q.texts)
	q.flag(name, file)
	return os.WriteFile(filepath.Join(q.dir, file), []byte(text), 0o600)
}

// open opens a file in the folder whose files questions may name. Links do not lead out of the folder.
func (q *query) open(name string) (*os.File, error) {
	if q.server.files == "" {
		return nil, fmt.Errorf("%q: this server reads no files for questions, because it was started without -files; send the text itself", name)
	}

	root, err := os.OpenRoot(q.server.files)
	if err != nil {
		return nil, errors.New("the folder of -files cannot be read")
	}
	defer root.Close()

	// Opening a pipe would wait for a writer.
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is no file in the folder of -files", name)
	}

	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no file in the folder of -files", name)
	}
	return f, nil
}

// ask runs the program for a question when its turn has come. The error is meant for the agent.
func (s *server) ask(ctx context.Context, in asker) (answer json.RawMessage, err error) {
	select {
	case s.turn <- struct{}{}:
		// The memory for one answer is bounded, and only one answer is made at a time.
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	dir, err := os.MkdirTemp("", "whatif-mcp")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	q := &query{server: s, dir: dir}
	err = in.arguments(q)
	if q.input != nil {
		defer q.input.Close()
	}
	if err != nil {
		return nil, err
	}
	return s.execute(ctx, q)
}

// filesIn is the environment variable that keeps the program from opening files outside a folder.
const filesIn = "KUBECTL_WHATIF_FILES_IN"

// execute runs the program with a command line, and returns its output without indentation.
func (s *server) execute(ctx context.Context, q *query) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()

	// Indentation multiplies the length of an answer. A program that writes more than this is ended.
	stdout, stderr := &bounded{most: 8 * s.most, full: cancel}, &bounded{most: 64 << 10}

	cmd := exec.CommandContext(ctx, s.program, append(q.args, "--output=json", "--color=never")...)
	cmd.Dir = q.dir

	// The program may open only the texts of the question, whatever its flags name. It collects garbage early
	// to save memory.
	cmd.Env = append(os.Environ(), filesIn+"=.", "GOGC=50")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, 5*time.Second

	if q.input != nil {
		cmd.Stdin = q.input
	}

	err := cmd.Run()
	tooLong := fmt.Errorf("the answer has more than %d bytes; ask about less: a smaller list, a namespace, a single pod", s.most)
	switch {
	case stdout.over:
		return nil, tooLong
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer within %v; ask about less", s.patience)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, errors.New(said(stderr.text.String(), err))
	}

	// Without indentation an answer has a fraction of its length.
	var short bytes.Buffer
	if err := json.Compact(&short, stdout.text.Bytes()); err != nil {
		return nil, fmt.Errorf("%s wrote no JSON: %w", filepath.Base(s.program), err)
	}
	if short.Len() > s.most {
		return nil, tooLong
	}
	return short.Bytes(), nil
}

// said returns the message of the program, or err if it wrote none.
func said(stderr string, err error) string {
	if text := strings.TrimSpace(stderr); text != "" {
		return text
	}
	return err.Error()
}

// bounded keeps the first most bytes of what is written to it. If there is more, over is set and full is called
// once, unless it is nil.
type bounded struct {
	text bytes.Buffer
	most int
	over bool
	full func()
}

// Write implements [io.Writer]. It accepts everything, so that the writer can go on.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.text.Len(); len(p) > room {
		b.text.Write(p[:room])
		if !b.over && b.full != nil {
			b.full()
		}
		b.over = true
		return len(p), nil
	}
	return b.text.Write(p)
}
