#!/bin/bash
# asterisk.sh DIR [IP [OWN]]: prints the process id of an Asterisk that listens on IP:5060, its files below DIR, no root
# needed. Takes the installed one, else that of a later suite (later-suite.sh); without IP that is all. OWN: a directory for
# the files of this one alone, whose *.conf replace those from here; more modules: in MODULES_TOO; more of asterisk.conf:
# in OPTIONS_TOO.
set -euo pipefail
mkdir -p "$1"
D=$(cd "$1" && pwd); IP=${2:-}; OWN=${3:-}

if command -v asterisk > /dev/null; then
  MODULES=$(dirname "$(dpkg -L asterisk-modules 2> /dev/null | grep -m1 'chan_pjsip.so$')"); DATA=/usr/share/asterisk
  RUN=(asterisk)
else
  [ -d "$D/root/usr/sbin" ] || bash "$(dirname "$0")/later-suite.sh" "$D" asterisk >&2
  U=$D/root/usr/lib/x86_64-linux-gnu
  MODULES=$U/asterisk/modules; DATA=$D/root/usr/share/asterisk
  RUN=("$U/ld-linux-x86-64.so.2" --library-path "$U:$U/asterisk:$D/root/usr/lib:$U/pulseaudio" "$D/root/usr/sbin/asterisk")
fi
[ -n "$IP" ] || exit 0

if [ -n "$OWN" ]; then R=$(cd "$OWN" && pwd)/run; else R=$D/run.$$; rm -rf "$D"/run.*; fi
mkdir -p "$R"/{etc,run,log,spool/recording,db,keys,agi,sounds}
cat > "$R/etc/asterisk.conf" <<C
[directories]
astetcdir => $R/etc
astmoddir => $MODULES
astvarlibdir => $DATA
astdbdir => $R/db
astkeydir => $R/keys
astdatadir => $DATA
astagidir => $R/agi
astspooldir => $R/spool
astrundir => $R/run
astlogdir => $R/log
[options]
verbose = 0
debug = 0
${OPTIONS_TOO:-}
C
{ echo '[modules]'; echo 'autoload = no'
  for module in res_timing_timerfd res_sorcery_config res_sorcery_memory res_sorcery_astdb res_pjproject res_pjsip \
    res_pjsip_session res_pjsip_sdp_rtp res_pjsip_endpoint_identifier_ip res_pjsip_caller_id res_pjsip_pubsub res_rtp_asterisk chan_pjsip \
    bridge_simple bridge_native_rtp bridge_softmix codec_ulaw codec_alaw codec_a_mu format_pcm format_sln pbx_config \
    app_playback app_read app_stack app_dial app_confbridge func_channel func_callerid func_timeout ${MODULES_TOO:-}; do echo "load = $module.so"; done
} > "$R/etc/modules.conf"
printf '[general]\n[logfiles]\nmessages => error\n' > "$R/etc/logger.conf"
printf '[general]\nrtpstart=30000\nrtpend=39999\nicesupport=no\nstrictrtp=yes\n' > "$R/etc/rtp.conf"
cat > "$R/etc/pjsip.conf" <<C
[udp]
type=transport
protocol=udp
bind=$IP:5060
[sipp]
type=endpoint
context=ivr
disallow=all
allow=ulaw,alaw
direct_media=no
dtmf_mode=rfc4733
media_address=$IP
bind_rtp_to_media_address=yes
rtp_symmetric=no
identify_by=ip
[sipp]
type=identify
endpoint=sipp
match=127.0.0.0/8
C
# Whom the numbers 7… reach: a callee on the same machine.
cat >> "$R/etc/pjsip.conf" <<C
[callee]
type=endpoint
context=ivr
disallow=all
allow=ulaw
direct_media=no
dtmf_mode=rfc4733
media_address=$IP
bind_rtp_to_media_address=yes
rtp_symmetric=no
C
cat > "$R/etc/confbridge.conf" <<C
[general]
[default_user]
type=user
quiet=yes
announce_join_leave=no
[default_bridge]
type=bridge
internal_sample_rate=8000
mixing_interval=20
C
cat > "$R/etc/extensions.conf" <<C
[ivr]
exten => 1000,1,Answer()
 same => n,Read(D,$R/sounds/prompt2s,1,,1,5)
 same => n,GotoIf(\$["\${D}" = "1"]?one:other)
 same => n(one),Playback($R/sounds/prompt1s)
 same => n,Hangup(16)
 same => n(other),Playback($R/sounds/prompt2s)
 same => n,Hangup(17)
exten => _7XXX,1,Dial(PJSIP/callee/sip:\${EXTEN}@127.0.0.22:5067,30)
 same => n,Hangup()
exten => _8XXX,1,Answer()
 same => n,ConfBridge(\${EXTEN})
 same => n,Hangup()
exten => 6001,1,Answer()
 same => n,Wait(300)
 same => n,Hangup()
C
for name in cdr cel manager http ari features indications stasis udptl ccss acl users; do : > "$R/etc/$name.conf"; done
printf '[general]\nenable=no\n' > "$R/etc/cdr.conf"
printf '[general]\nenabled=no\n' | tee "$R/etc/manager.conf" "$R/etc/http.conf" > /dev/null
sox -n -r 8000 -c 1 -t ul "$R/sounds/prompt2s.ulaw" synth 2 sine 440 gain -12
sox -n -r 8000 -c 1 -t ul "$R/sounds/prompt1s.ulaw" synth 1 sine 660 gain -12
[ -z "$OWN" ] || cp "$OWN"/*.conf "$R/etc/"

"${RUN[@]}" -C "$R/etc/asterisk.conf" -f > "$R/out.log" 2>&1 &
PID=$!
for _ in $(seq 100); do
  "${RUN[@]}" -C "$R/etc/asterisk.conf" -rx 'core waitfullybooted' 2> /dev/null | grep -q fully && break
  kill -0 $PID 2> /dev/null || { tail -5 "$R/out.log" >&2; exit 1; }
  sleep 0.2
done
echo $PID
