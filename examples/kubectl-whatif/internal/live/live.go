// Package live answers what a cluster holds at this moment, by letting kubectl print it.
package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Kinds are the kinds on which an answer may depend, under kubectl's short names.
var Kinds = []string{"nodes", "pods", "pdb", "priorityclasses", "namespaces", "pv", "pvc", "sc", "csinodes", "csidrivers", "quota"}

// needed are the kinds without which there is no answer.
var needed = []string{"nodes", "pods"}

// long has the names of kinds in messages of the API server, where they differ from the short names.
var long = map[string]string{
	"pdb": "poddisruptionbudgets", "pv": "persistentvolumes", "pvc": "persistentvolumeclaims", "quota": "resourcequotas", "sc": "storageclasses",
}

// Cluster selects a cluster as kubectl does. Empty fields leave the choice to kubectl.
type Cluster struct {
	Context, Kubeconfig string
	// More lists kinds to ask for in addition to Kinds.
	More []string
	// Program is the command that prints a ClusterRole for all kinds. Empty means "kubectl whatif".
	Program string
	// Patience is how long Read waits for programs that kubectl leaves behind. Zero means ten seconds.
	Patience time.Duration
}

// kinds returns all the kinds to ask for.
func (c Cluster) kinds() []string { return slices.Concat(Kinds, c.More) }

// String names the cluster in messages.
func (c Cluster) String() string {
	if c.Context == "" {
		return "the current context of kubectl"
	}
	return "context " + c.Context
}

// arguments returns the arguments with which kubectl prints kinds.
func (c Cluster) arguments(kinds []string) []string {
	return c.chosen("get", strings.Join(kinds, ","), "-A", "-o", "json")
}

// chosen adds the arguments that select the cluster.
func (c Cluster) chosen(args ...string) []string {
	if c.Context != "" {
		args = append(args, "--context="+c.Context)
	}
	if c.Kubeconfig != "" {
		args = append(args, "--kubeconfig="+c.Kubeconfig)
	}
	return args
}

// Command returns the command that Read runs, for people.
func (c Cluster) Command() string { return "kubectl " + strings.Join(c.arguments(c.kinds()), " ") }

// Namespace returns the namespace of kubectl's context. It is empty if the context has none or kubectl does not
// tell. It contacts no server.
func (c Cluster) Namespace(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "kubectl", c.chosen("config", "view", "--minify", "-o", "jsonpath={.contexts[0].context.namespace}")...)
	cmd.WaitDelay = c.patience()
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Read runs kubectl and passes its output to read. It leaves out kinds that the user may not list or that the
// server does not have, with a warning for each. In that case kubectl runs once more, and read is called again;
// its first call must not count. Without nodes or pods Read fails. It writes nothing to the cluster. When the
// context ends, so does kubectl.
func (c Cluster) Read(ctx context.Context, read func(io.Reader) error) (warnings []string, err error) {
	program, err := exec.LookPath("kubectl")
	if err != nil {
		return nil, fmt.Errorf("kubectl is not installed here, or not in the PATH (%w); where it is, run %s > dump.json, and give the file with --cluster",
			errors.Unwrap(err), c.Command())
	}

	// Each round that fails leaves out kinds, or is the last one.
	kinds := c.kinds()
	for {
		said, err := c.once(ctx, program, kinds, read)
		if err == nil {
			// Rights can be granted. A kind that the server does not have cannot be added.
			if slices.ContainsFunc(warnings, forbidden.MatchString) {
				warnings = append(warnings, c.role()+" them")
			}
			return append(warnings, plainly(lines(said))...), nil
		}

		var failed *failure
		if !errors.As(err, &failed) {
			return nil, err
		}

		// If no kind is to blame the failure would come again.
		left, dropped := without(kinds, said)
		if len(dropped) == 0 || !slices.Contains(left, needed[0]) || !slices.Contains(left, needed[1]) {
			return nil, err
		}

		kinds = left
		warnings = append(warnings, dropped...)
	}
}

// role begins a sentence about what to do if rights are missing.
func (c Cluster) role() string {
	return fmt.Sprintf(`"%s clusterrole" prints a ClusterRole that allows`, cmp.Or(c.Program, "kubectl whatif"))
}

// failure is a failure of kubectl, with what it wrote to standard error.
type failure struct {
	command, said, role string
	err                 error
}

// Error returns kubectl's message, and advice what to do about it.
func (f *failure) Error() string {
	text := fmt.Sprintf("kubectl failed (%v)", f.err)
	if f.said != "" {
		text += ": " + strings.Join(plainly(lines(f.said)), "; ")
	}
	if forbidden.MatchString(f.said) {
		text += "; " + f.role + " it"
	}
	return text + "; to see it by itself, run " + f.command
}

// once runs kubectl once. said is what it wrote to standard error.
func (c Cluster) once(ctx context.Context, program string, kinds []string, read func(io.Reader) error) (said string, err error) {
	args := c.arguments(kinds)
	cmd := exec.CommandContext(ctx, program, args...)
	message := &beginning{}
	cmd.Stderr = message
	out, in := io.Pipe()
	cmd.Stdout = in
	cmd.WaitDelay = c.patience()
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("kubectl: %w", err)
	}

	// The pipe is closed when kubectl has ended, so that read ends as well.
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		in.Close()
		ended <- err
	}()

	// What read leaves over is discarded, so that kubectl ends by itself. Its own message says more than an
	// error about truncated output.
	readErr := read(out)
	_, _ = io.Copy(io.Discard, out)
	err = <-ended
	said = message.text.String()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return said, &failure{"kubectl " + strings.Join(args, " "), said, c.role(), err}
	}
	return said, readErr
}

// patience returns Patience or its default. A program that kubectl started and left behind, to renew a
// credential for example, may hold the pipe open forever, so that the wait has to be bounded.
func (c Cluster) patience() time.Duration {
	if c.Patience > 0 {
		return c.Patience
	}
	return 10 * time.Second
}

// beginning keeps the beginning of what is written to it.
type beginning struct{ text bytes.Buffer }

// Write implements [io.Writer]. It accepts everything, so that the writer can go on.
func (b *beginning) Write(p []byte) (int, error) {
	const most = 64 << 10
	b.text.Write(p[:min(len(p), max(0, most-b.text.Len()))])
	return len(p), nil
}

// forbidden and unknown match messages about a kind that cannot be listed.
var (
	forbidden = regexp.MustCompile(`cannot list resource "([^"]+)"`)
	unknown   = regexp.MustCompile(`the server doesn't have a resource type "([^"]+)"`)
)

// without returns the kinds left after those that a message is about, and a reason for each of the latter.
func without(kinds []string, said string) (left, why []string) {
	gone := map[string]string{}
	for _, line := range lines(said) {
		for _, pattern := range []*regexp.Regexp{forbidden, unknown} {
			if m := pattern.FindStringSubmatch(line); m != nil {
				gone[m[1]] = line
			}
		}
	}

	for _, kind := range kinds {
		line := gone[kind]
		if name := long[kind]; line == "" && name != "" {
			line = gone[name]
		}
		if line == "" {
			left = append(left, kind)
		} else {
			why = append(why, fmt.Sprintf("%s are left out: %s", kind, line))
		}
	}
	return left, why
}

// logged matches the beginning of a log line that kubectl's client library writes next to messages: the time
// and the place in the source.
var logged = regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^ ]+\] `)

// plainly removes repetitions from what kubectl said. The client library logs the same failure at each attempt.
// The log is used only if there is no message, which would say the same.
func plainly(said []string) []string {
	var messages, log []string
	for _, line := range said {
		line = strings.TrimPrefix(line, "Warning: ")
		if text := logged.ReplaceAllString(line, ""); text == line {
			messages = append(messages, line)
		} else if !slices.Contains(log, text) {
			log = append(log, text)
		}
	}
	if len(messages) > 0 {
		return messages
	}
	return log
}

// lines returns the lines of a text that are not blank.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
