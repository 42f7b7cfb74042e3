#!/bin/sh
# mailbox-prepend.sh MAILBOX [MESSAGE-FILE]: puts one message on top of a flat-file mailbox.
# The message is read from standard input when no file is named. Locking, idempotency by msg-id and exit codes are
# those of "rouse mailfile prepend": 0 prepended or duplicate, 2 bad message, 4 msg-id used with other content, 7 lock
# timeout.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
case $self in */*) here=${self%/*} ;; *) here=. ;; esac
case $# in
  1) exec "$here/rouse" mailfile prepend --mailbox "$1" ;;
  2) exec "$here/rouse" mailfile prepend --mailbox "$1" --message-file "$2" ;;
  *)
    echo "usage: mailbox-prepend.sh MAILBOX [MESSAGE-FILE]" >&2
    exit 2
    ;;
esac
