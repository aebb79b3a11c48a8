package terminal

import "os"

// Is reports whether v, a reader or a writer, is a terminal. A nil interface and
// every other character device, such as /dev/null, count as one.
func Is(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return v == nil
	}
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}
