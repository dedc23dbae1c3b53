package trial

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ReadmeCommand returns the command for taking a dump from the repository's README, without the target file.
func ReadmeCommand(readme string) ([]string, error) {
	text, err := os.ReadFile(readme)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		command, _, redirected := strings.Cut(line, " > ")
		if redirected && strings.HasPrefix(command, "kubectl get nodes,pods,") {
			return strings.Fields(command), nil
		}
	}
	return nil, fmt.Errorf("%s has no line with the command kubectl get nodes,pods", readme)
}

// output runs a program and returns its standard output. The error includes the standard error.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	var out, trouble bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &trouble
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(trouble.Bytes()))
	}
	return out.Bytes(), nil
}
