// Command whatif-mcp answers the questions of kubectl whatif for agents: it is a server of the
// Model Context Protocol over standard input and output.
//
//	whatif-mcp                              about the sample cluster, or dumps that come with a question
//	whatif-mcp -cluster dump.json           about that dump
//	whatif-mcp -live                        about the cluster of kubectl's current context
//	whatif-mcp -files ./dumps               questions may name files in that folder
//
// It has a tool for each question. All of them only read. An answer is the JSON that kubectl-whatif writes, and
// an error is its message. The server runs that program for every question, so that the answers are the same by
// construction, that what takes too long ends with its process, and that no dump can harm the server. It looks
// for the program in its own folder, then in the PATH.
//
// What the server reads is for its command line to say, not for an agent: without -files no
// question names a file, and without -live or -context none reaches a cluster. The program that
// answers opens no file but the texts of the question, whatever the values of its flags say.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/outrank-go/outrank/examples/internal/stamp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "whatif-mcp:", err)
		os.Exit(2)
	}
}

// mostFrame is the most bytes of a message from the client, and so of a dump that comes with a question.
const mostFrame = 32 << 20

// run is the whole program apart from the process around it.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	s := &server{}
	version := false
	fs := s.flags(&version)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, "Usage: whatif-mcp [flags]\n\nAnswers the questions of kubectl whatif over the Model Context Protocol, on standard input and output.\n\n")
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return nil
	} else if err != nil {
		return fmt.Errorf("%w; whatif-mcp -h lists the flags", err)
	}

	if version {
		_, err := fmt.Fprintln(stdout, stamp.Here().Line("whatif-mcp"))
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}

	if err := s.check(); err != nil {
		return err
	}

	// A dump is copied several times on its way through the protocol, and the copies soon become garbage.
	// Collecting it early keeps the memory close to what is in use.
	debug.SetGCPercent(10)

	frames := newFrames(os.Stdin, os.Stdout)
	err := s.serve().Run(ctx, &mcp.IOTransport{Reader: frames, Writer: frames.out, MaxLineLength: -1})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// flags returns the flags of the program, which set the fields of the server. Their errors are returned instead
// of printed.
func (s *server) flags(version *bool) *flag.FlagSet {
	fs := flag.NewFlagSet("whatif-mcp", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&s.program, "whatif", "", "the `PROGRAM` that answers (default: kubectl-whatif beside this one, else in the PATH)")
	fs.StringVar(&s.cluster, "cluster", "", "a `FILE` with the dump that questions are about (default: a sample)")
	fs.BoolVar(&s.live, "live", false, "questions are about the cluster of kubectl's current context")
	fs.StringVar(&s.context, "context", "", "the same for the kubectl context of a `NAME`")
	fs.StringVar(&s.files, "files", "", "a `FOLDER` with files that questions may name (default: none)")
	fs.IntVar(&s.most, "most", 1<<20, "an answer has so many `BYTES` at most")
	fs.DurationVar(&s.patience, "patience", 2*time.Minute, "how long an answer may take")
	fs.BoolVar(version, "version", false, "say which version this is")
	return fs
}

// regular returns an error unless path is a regular file. Opening a pipe would wait for a writer.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	return err
}

// folder returns an error unless path is a folder.
func folder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", path)
	}
	return err
}

// check refuses settings that contradict each other or are out of range, and finds the program.
func (s *server) check() error {
	places := 0
	for _, given := range []bool{s.cluster != "", s.live, s.context != ""} {
		if given {
			places++
		}
	}

	switch {
	case places > 1:
		return errors.New("-cluster, -live and -context name different clusters; give one of them")
	case s.most < 1<<10:
		return fmt.Errorf("-most %d: an answer has more than 1024 bytes", s.most)
	case s.patience <= 0:
		return fmt.Errorf("-patience %v: an answer takes longer", s.patience)
	}

	// The program runs in another folder, so that paths have to be absolute.
	for _, given := range []struct {
		flag string
		path *string
		is   func(string) error
	}{{"-cluster", &s.cluster, regular}, {"-files", &s.files, folder}, {"-whatif", &s.program, regular}} {
		if *given.path == "" {
			continue
		}
		path, err := filepath.Abs(*given.path)
		if err == nil {
			err = given.is(path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", given.flag, err)
		}
		*given.path = path
	}

	if s.program != "" {
		return nil
	}
	return s.findProgram()
}

// findProgram looks for the program in the folder of this one, then in the PATH.
func (s *server) findProgram() error {
	name := "kubectl-whatif"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			s.program = beside
			return nil
		}
	}

	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("%s, which answers, is neither beside this program nor in the PATH; -whatif names it", name)
	}
	s.program, err = filepath.Abs(path)
	return err
}
