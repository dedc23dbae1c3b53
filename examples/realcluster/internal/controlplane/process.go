package controlplane

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a program that runs until it is ended.
type Process struct {
	Name string
	// Log is the path of the file with its output.
	Log string

	cmd    *exec.Cmd
	ended  chan struct{}
	result error // how it ended; set once ended is closed
}

// Start runs a program in its own process group. So Ctrl-C reaches only this program, which then ends the
// others in order.
func Start(name, program, logFolder string, args ...string) (*Process, error) {
	return startAs(program, name, program, logFolder, args...)
}

// startAs is Start for a program that is run under the name self. Clients report that name to the API server.
func startAs(self, name, program, logFolder string, args ...string) (*Process, error) {
	cmd := exec.Command(program, args...)
	cmd.Args[0] = self
	cmd.SysProcAttr = apart()
	return launch(name, logFolder, cmd)
}

// launch starts a command whose output is appended to a log.
func launch(name, logFolder string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Name: name, Log: filepath.Join(logFolder, name+".log"), cmd: cmd, ended: make(chan struct{})}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) // a restarted program appends to its log
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own copy
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.result = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// ID returns the id of the process.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Ended returns a channel that is closed when the process has ended, by itself or by Stop.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Pause suspends the process until Resume.
func (p *Process) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume lets the process continue after Pause.
func (p *Process) Resume() error { return p.signal(syscall.SIGCONT) }

// Stop asks the process to end, and kills it after the grace period. It returns when the process has ended.
func (p *Process) Stop(grace time.Duration) {
	p.signal(syscall.SIGCONT) // a suspended process does not handle signals
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(grace):
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// Kill kills the process, and returns when it has ended.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// signal sends a signal to the process alone, and not to its group. It does nothing if the process has ended.
func (p *Process) signal(s syscall.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Failure returns an error that says how the process ended, with its last output. It is nil while the process
// runs.
func (p *Process) Failure() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s has ended: %v; the end of %s:\n%s", p.Name, p.result, p.Log, tail(p.Log, 2000))
	default:
		return nil
	}
}

// tail returns the end of a file.
func tail(file string, most int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text[max(0, len(text)-most):]))
}
